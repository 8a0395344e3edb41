const SHOWN_MAX = 80;

/** @returns an item as JSON in one line, with its long texts cut */
export function shownItem(item: object): string {
  return JSON.stringify(item, (name, value: unknown) => {
    if (typeof value !== 'string' || value.length <= SHOWN_MAX) return value;
    if (name === 'thumbnail') return `${Buffer.byteLength(value, 'base64')} bytes`;
    return `${value.slice(0, SHOWN_MAX)}… (${value.length} characters)`;
  });
}
