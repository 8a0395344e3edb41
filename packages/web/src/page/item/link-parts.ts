/** The text of an address ends before blanks, quotation marks, brackets of HTML and invisible characters. */
const ADDRESS = /https?:\/\/[^\s\p{C}<>"“”„«»]+/giu;
const PUNCTUATION = /[.,;:!?'’*_~…]$/;
const PAIRS: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/** A part of a text; `href` if it is the address of a page. */
export type TextPart = { text: string; href?: string };

/**
 * Finds the addresses in a text. Only those of pages become links, and only without a user name, with which
 * `https://bank.example@other.example` looks like another site.
 */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutPunctuation(found);
    const href = safeHref(address);
    if (href === undefined) continue;
    parts.push({ text: text.slice(end, index) }, { text: address, href });
    end = index + address.length;
  }
  return [...parts, { text: text.slice(end) }].filter((part) => part.text !== '');
}

function safeHref(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isSafe ? url.href : undefined;
}

/** What ends a sentence, or closes a bracket that was opened before the address, is no part of it. */
function withoutPunctuation(address: string): string {
  const last = address.at(-1) ?? '';
  const opening = PAIRS[last];
  const isUnopened = opening !== undefined && address.split(last).length > address.split(opening).length;
  return PUNCTUATION.test(last) || isUnopened ? withoutPunctuation(address.slice(0, -1)) : address;
}
