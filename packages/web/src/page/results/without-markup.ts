import type { parseFragment } from './parse-fragment.ts';

type Part = ReturnType<typeof parseFragment>[number];

const ITEM = /^- +(?=\S)/gm;
/** Pairs, and the one end that a fragment may have: beside a word, which that of 2**8 is not. */
const BOLD = [/\*\*(?=\S)((?:(?!\*\*|\n\n)[^])+)(?<=\S)\*\*/dg, /(?<![^\s(*])\*\*(?=[^\s*])|(?<=[^\s*])\*\*(?=[\s.,;:!?)]|$)/dg];
const LINK = /!?\[([^\]\n]*)\]\((?:https?:|mailto:)(?:[^\s()]|\([^\s()]*\))*\)/dg;

/**
 * What a description says, without the signs of lists, bold text and links: for the few lines of a card. Marks stay.
 * @example withoutMarkup([{ text: '**a', isMarked: true }, { text: '**\n- b\n- c', isMarked: false }]) → marked 'a', '\nb\n· c'
 */
export function withoutMarkup(parts: Part[]): Part[] {
  const text = parts.map((part) => part.text).join('');
  const shown = text.split('');
  for (const { index, 0: sign } of text.matchAll(ITEM))
    shown.fill('', index, index + sign.length).fill(isAfterItem(text.slice(0, index)) ? '· ' : '', index, index + 1);
  for (const { indices } of [...BOLD, LINK].flatMap((sign) => [...text.matchAll(sign)])) {
    const [all, inner] = indices as RegExpIndicesArray;
    const [from, to] = all as [number, number];
    const [start, end] = inner ?? [to, to];
    shown.fill('', from, start).fill('', end, to);
  }
  let at = 0;
  return parts.map((part) => ({ ...part, text: shown.slice(at, (at += part.text.length)).join('') }));
}

const isAfterItem = (before: string): boolean => before.trimEnd().split('\n').at(-1)?.startsWith('- ') ?? false;
