const ID = /^[1-9]\d{0,14}$/;
const ADDRESS = /^(?!-)[^\s?#]*\?(?<query>[^\s#]+)(?:#\S*)?$/;

/** @returns the id of the item that a prompt names as `#157`, or by the address of its page, whatever the origin and path */
export function namedItem(prompt: string): number | undefined {
  const text = prompt.trim();
  if (text.startsWith('#')) return toId(text.slice(1));
  const query = ADDRESS.exec(text)?.groups?.['query'];
  return toId(new URLSearchParams(query).get('item') ?? '');
}

/** @returns the id that a prompt may mean; a number may also be a word */
export function possibleItem(prompt: string): number | undefined {
  return toId(prompt.trim()) ?? namedItem(prompt);
}

function toId(text: string): number | undefined {
  return ID.test(text) ? Number(text) : undefined;
}
