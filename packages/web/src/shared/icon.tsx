/** Outlines on a grid of 24 x 24. */
const PATHS = {
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm4.8-1.7L20 20',
  close: 'm6 6 12 12M18 6 6 18',
  plus: 'M12 5v14M5 12h14',
  download: 'M12 4v11m-4.5-4L12 15.5 16.5 11M5 20h14',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 8c1-4 4-5 8-5s7 1 8 5',
  filter: 'M4 7h16M7 12h10m-7 5h4',
  previous: 'm14.5 6-6 6 6 6',
  next: 'm9.5 6 6 6-6 6',
  edit: 'M5 19h3.5L19 8.5 15.5 5 5 15.5V19Z',
  trash: 'M5 7h14M10 7V4.5h4V7m-7.5 0 1 13h9l1-13',
  picture: 'M4 5h16v14H4V5Zm0 11 5-5 4 4 2.5-2.5L20 17M15.5 9.5h.01',
  item: 'm12 4 7.5 4v8L12 20l-7.5-4V8L12 4Zm0 8.5L4.5 8M12 12.5 19.5 8M12 12.5V20',
  tag: 'M4 4h8l8 8-8 8-8-8V4Zm4.5 4.5h.01',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  warning: 'M12 4 3 20h18L12 4Zm0 6v5m0 2.5v.01',
  without: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM6.5 6.5l11 11',
  link: 'm10 14 4-4m-3-3.5 1.5-1.5a4.2 4.2 0 0 1 6 6L17 12.5m-10-1L5.5 13a4.2 4.2 0 0 0 6 6l1.5-1.5',
} as const;
export type IconName = keyof typeof PATHS;

/** A decoration: the text beside it, or the label of the button around it, says what it means. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Star({ isFilled }: { isFilled: boolean }) {
  return (
    <svg class={isFilled ? 'star' : 'star star-empty'} viewBox="0 0 24 24" aria-hidden="true">
      <path d="m12 3 2.7 5.6 6.1.9-4.4 4.3 1 6.1-5.4-2.9-5.4 2.9 1-6.1-4.4-4.3 6.1-.9L12 3Z" />
    </svg>
  );
}
