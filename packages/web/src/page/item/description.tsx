import { linkParts } from './link-parts.ts';

export function Description({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <p class="item-description" dir="auto">
      {linkParts(text).map((part, position) =>
        part.href === undefined ? (
          part.text
        ) : (
          <a key={position} href={part.href} target="_blank" rel="noopener noreferrer nofollow">
            {part.text}
          </a>
        ),
      )}
    </p>
  );
}
