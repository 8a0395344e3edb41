const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/**
 * The parts of a fragment of `highlights`, which is escaped text with <mark> elements.
 * @example parseFragment('a <mark>b &amp; c</mark>') → [{ text: 'a ', isMarked: false }, { text: 'b & c', isMarked: true }]
 */
export function parseFragment(fragment: string): { text: string; isMarked: boolean }[] {
  return fragment
    .split(/<mark>(.*?)<\/mark>/s)
    .map((part, position) => ({ text: unescape(part), isMarked: position % 2 === 1 }))
    .filter(({ text }) => text !== '');
}

export function plainTextOf(fragment: string): string {
  return parseFragment(fragment)
    .map(({ text }) => text)
    .join('');
}

function unescape(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
