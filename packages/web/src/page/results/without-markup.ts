import type { parseFragment } from './parse-fragment.ts';

type Part = ReturnType<typeof parseFragment>[number];

const ITEM = /(?<![^\r\n])- +(?=\S)/g;
/** Only with an address that leads to a page: see pageHref of an item. */
const LINK = /!?\[([^[\]\r\n]*)\]\((https?:\/\/\w(?:[^\s()\\@]|\([^\s()\\@]*\))*)\)/gi;
/** Two asterisks that may open bold text, and close it, in Markdown: 2 **3, f(**kwargs) and 5** are none. */
const BOLD =
  /(?<!\*)\*\*(?=[^\s\p{P}\p{S}]|(?<=(?:^|[\s\p{P}\p{S}])..)[^\s*])((?:(?!\*\*).)+)(?:(?<=[^\s\p{P}\p{S}])|(?<=\S)(?=..(?:$|[\s\p{P}\p{S}])))\*\*(?!\*)/gu;
/** Other emphasis, or a link, may end outside of bold text that it begins in: then that is none. */
const MAY_CROSS = /[*[\]]|(?<!\w)_|_(?!\w)/;
/** Of three asterisks in a line, any two may belong to others in it. */
const UNCLEAR = /^.*\*{3}.*$/gm;
/** What is looked at before and after a text, which may begin or end within bold text or a link. */
const CONTEXT_LENGTH = 500;

/**
 * What a part of a description says, without the signs of lists, bold text and links: for the few lines of a card. Marks
 * stay, and so does what an item shows as it was typed.
 * @example withoutMarkup([{ text: '**a', isMarked: true }, { text: '**\n- b', isMarked: false }]) → marked 'a', '\nb'
 */
export function withoutMarkup(parts: Part[], description = ''): Part[] {
  const own = parts.map((part) => part.text).join('');
  const start = Math.max(description.indexOf(own), 0);
  const before = description.slice(Math.max(start - CONTEXT_LENGTH, 0), start);
  const text = before + own + description.slice(start + own.length, start + own.length + CONTEXT_LENGTH);
  const shown = text.split('');
  for (const { index, 0: sign } of text.matchAll(ITEM))
    if (index >= before.length)
      shown.fill('', index, index + sign.length).fill(isAfterItem(text.slice(before.length, index)) ? '· ' : '', index, index + 1);
  for (const [from, to] of signsIn(text)) shown.fill('', from, to);
  let at = before.length;
  return parts.map((part) => ({ ...part, text: shown.slice(at, (at += part.text.length)).join('') })).filter((part) => part.text !== '');
}

const isAfterItem = (before: string): boolean => before.trimEnd().split('\n').at(-1)?.startsWith('- ') ?? false;

/** Bold text begins and ends within the text of a link, or without. */
function signsIn(text: string): [number, number][] {
  const signs: [number, number][] = [];
  const addBold = (within: string, start: number): void => {
    for (const { index, 0: all, 1: inner = '' } of within.replace(UNCLEAR, masked).matchAll(BOLD))
      if (!MAY_CROSS.test(inner))
        signs.push([start + index, start + index + 2], [start + index + all.length - 2, start + index + all.length]);
  };
  const outside = text.replace(LINK, (all: string, name: string, address: string, index: number) => {
    if (!URL.canParse(address)) return all;
    const start = index + all.indexOf('[') + 1;
    // Of a link without a text, an item shows the address.
    if (name.trim() !== '') signs.push([index, start], [start + name.length, index + all.length]);
    addBold(name, start);
    return masked(all);
  });
  addBold(outside, 0);
  return signs;
}

const masked = (text: string): string => '.'.repeat(text.length);
