/** The text of an address ends before blanks, quotation marks, brackets of HTML and invisible characters. */
const ADDRESS = /https?:\/\/[^\s\p{C}<>"“”„«»]+/giu;
const PUNCTUATION = /[.,;:!?'’*_~…]/;
const PAIRS: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/** What is longer is no address that somebody opens. The unit is a UTF-16 code unit. */
const MAX_LENGTH = 2_000;
const AUTHORITY = /(?<=:\/\/)[^/?#\\]*/;
/** A host name of the longest that DNS has, and a port. A browser takes long to encode a longer one. */
const MAX_AUTHORITY_LENGTH = 253 + ':65535'.length;

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
    const href = pageHref(address);
    if (href === undefined) continue;
    parts.push({ text: text.slice(end, index) }, { text: address, href });
    end = index + address.length;
  }
  return [...parts, { text: text.slice(end) }].filter((part) => part.text !== '');
}

/** @returns the address of a page that a description may lead to; undefined for any other */
export function pageHref(address: string): string | undefined {
  if (address.length > MAX_LENGTH) return undefined;
  if ((AUTHORITY.exec(address)?.[0].length ?? 0) > MAX_AUTHORITY_LENGTH) return undefined;
  try {
    const url = new URL(address);
    const isSafe = /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    return isSafe ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What ends a sentence, or closes a bracket that was opened before the address, is no part of it. Takes time in proportion
 * to the length.
 */
function withoutPunctuation(address: string): string {
  const unopened = Object.fromEntries(
    Object.entries(PAIRS).map(([closing, opening]) => [closing, countOf(address, closing) - countOf(address, opening)]),
  );
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    const isUnopened = (unopened[last] ?? 0) > 0;
    if (isUnopened) unopened[last] = (unopened[last] ?? 0) - 1;
    else if (!PUNCTUATION.test(last)) break;
  }
  return address.slice(0, end);
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}
