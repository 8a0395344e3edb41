import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import type { Highlights } from '@ugc/items/changes/content-item';
import type { MarkFinder } from '@ugc/text/marks/mark-finder';
import type { Range } from '@ugc/text/words/tokens';

type HighlightedFields = Pick<ContentDocument, 'name' | 'description' | 'tags'> & {
  /** The searched texts of declared fields. */
  declared?: { name: string; texts: string[] }[];
};

/** @returns the fields in which something matches */
export function highlightItem({ name, description, tags, declared = [] }: HighlightedFields, finder: MarkFinder): Highlights {
  const whole = (text: string): string[] => {
    const marks = finder.find(text);
    return marks.length === 0 ? [] : [markUp(text, marks)];
  };
  const parts = (text: string): string[] => {
    const marks = finder.find(text);
    return marks.length === 0 ? [] : fragmentsOf(text, marks);
  };
  const fragments = { name: whole(name), description: parts(description), tags: tags.flatMap(whole) };
  const fields = withFragments(declared.map((field) => [field.name, field.texts.flatMap(parts)]));
  return { ...withFragments(Object.entries(fragments)), ...(Object.keys(fields).length > 0 && { fields }) };
}

function withFragments(fragments: [string, string[]][]): Record<string, string[]> {
  return Object.fromEntries(fragments.filter(([, found]) => found.length > 0));
}

const MAX_FRAGMENTS = 3;
/** The unit is a UTF-16 code unit. A longer fragment has one long mark. */
const FRAGMENT_LENGTH = 150;
const CONTEXT_LENGTH = 50;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** @returns HTML: the part of the text, with its marks */
function markUp(text: string, marks: Range[], { start, end }: Range = { start: 0, end: text.length }): string {
  const parts = marks.map((mark, position) => {
    const before = text.slice(marks[position - 1]?.end ?? start, mark.start);
    return `${escapeHtml(before)}<mark>${escapeHtml(text.slice(mark.start, mark.end))}</mark>`;
  });
  return parts.join('') + escapeHtml(text.slice(marks.at(-1)?.end ?? start, end));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * @param marks in the order of the text, without overlaps
 * @returns HTML: the parts of the text with the first marks, or all of a short text
 */
function fragmentsOf(text: string, marks: Range[]): string[] {
  const fragments: string[] = [];
  let [shownMarks, shownText] = [0, 0];
  while (shownMarks < marks.length && fragments.length < MAX_FRAGMENTS) {
    const { range, count } = nextFragment(text, marks, { shownMarks, shownText });
    fragments.push(markUp(text, marks.slice(shownMarks, shownMarks + count), range));
    [shownMarks, shownText] = [shownMarks + count, range.end];
  }
  return fragments;
}

type Shown = { shownMarks: number; shownText: number };

function nextFragment(text: string, marks: Range[], { shownMarks, shownText }: Shown): { range: Range; count: number } {
  const first = marks[shownMarks] ?? { start: 0, end: 0 };
  const before = Math.min(first.start - CONTEXT_LENGTH, text.length - FRAGMENT_LENGTH);
  const start = startOfWord(text, Math.max(before, shownText), first.start);
  const limit = Math.max(start + FRAGMENT_LENGTH, first.end);
  let last = shownMarks;
  while ((marks[last + 1]?.end ?? Infinity) <= limit) last += 1;
  const limitOfText = Math.min(limit, marks[last + 1]?.start ?? text.length);
  return { range: { start, end: endOfWord(text, marks[last]?.end ?? limit, limitOfText) }, count: last + 1 - shownMarks };
}

/** @returns the first start of a word between the positions, or of a grapheme where words are not separated by blanks */
function startOfWord(text: string, from: number, to: number): number {
  if (from === 0 || /\s\S/.test(text.slice(from - 1, from + 1))) return from;
  const blanks = /\s+/.exec(text.slice(from, to));
  if (blanks) return from + blanks.index + blanks[0].length;
  const { index, segment } = graphemeAt(text, from);
  return index === from ? from : Math.min(index + segment.length, to);
}

/** @returns the last end of a word between the positions, or of a grapheme */
function endOfWord(text: string, from: number, to: number): number {
  if (to === text.length) return to;
  const blanks = text.slice(from, to + 1).search(/\s+\S*$/);
  return blanks >= 0 ? from + blanks : Math.max(graphemeAt(text, to).index, from);
}

function graphemeAt(text: string, position: number): { index: number; segment: string } {
  return GRAPHEMES.segment(text).containing(position) ?? { index: position, segment: '' };
}
