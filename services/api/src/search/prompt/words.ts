import { parseLiteral, splitChunks } from '@ugc/shared/search-text/literals';

/**
 * A part of the prompt that an item has or lacks, in folded form:
 * - `word`: one term
 * - `literal`: text with symbols, such as `c++` or `r2-d2`; see `parseLiteral`
 * - `run`: an emoji, or text of a script without spaces, of which each character is a term
 */
export type Word = {
  text: string;
  kind: 'word' | 'literal' | 'run';
};

/** A longer run is searched as its pairs of characters, because few items contain a complete sentence. */
const MAX_RUN_TERMS = 4;

const RUN_TERM = String.raw`[\p{Ideographic}\p{Script=Hiragana}]|[\p{Script=Katakana}ー]+`;
const EMOJI = String.raw`\p{RI}\p{RI}|\p{Extended_Pictographic}\u{fe0f}?[\u{e0020}-\u{e007f}]*(?:\u{200d}\p{Extended_Pictographic}\u{fe0f}?)*`;
const LETTER = String.raw`[[\p{L}\p{M}\p{Nd}\p{Nl}_]--[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}ー]]`;
const RUN_TERMS = new RegExp(RUN_TERM, 'gv');
const WORD = new RegExp(`${LETTER}+(?:'${LETTER}+)*`, 'gv');
/** A term of the index. */
export const TERM = new RegExp(`${RUN_TERM}|${EMOJI}|${WORD.source}`, 'gv');
const SEGMENT = new RegExp(`(?<run>(?:${RUN_TERM})+)|(?<emoji>${EMOJI})|(?<chunk>(?:(?!${RUN_TERM}|${EMOJI})\\S)+)`, 'gv');

/** Splits a folded text. @param separate the separation of terms of the index that is searched */
export function splitWords(text: string, separate: (folded: string) => string): Word[] {
  return [...text.matchAll(SEGMENT)].flatMap(({ groups: { run, emoji, chunk = '' } = {} }): Word[] => {
    if (emoji !== undefined) return [{ text: emoji, kind: 'run' }];
    return run === undefined ? toWords(chunk, separate) : splitRun(run);
  });
}

function toWords(chunk: string, separate: (folded: string) => string): Word[] {
  const literals = splitChunks(chunk).flatMap((part) => parseLiteral(part)?.text ?? []);
  const rest = literals.reduce((text, literal) => text.replace(literal, ' '), chunk);
  const words = separate(rest).match(WORD) ?? [];
  return [...literals.map((text) => ({ text, kind: 'literal' as const })), ...words.map((text) => ({ text, kind: 'word' as const }))];
}

function splitRun(run: string): Word[] {
  const terms = run.match(RUN_TERMS) ?? [];
  const texts = terms.length <= MAX_RUN_TERMS ? [run] : terms.slice(1).map((term, position) => `${terms[position]}${term}`);
  return texts.map((text) => ({ text, kind: 'run' }));
}

/**
 * English words that carry grammar, not content: the stop list of the Snowball project (snowballstem.org), and a few
 * modal verbs and prepositions. Long prompts are searched without them.
 */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are aren't as at be because been before being below between both
   but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either few for from further
   had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his how how's i i'd
   i'll i'm i've if in into is isn't it it's its itself just let's may me might more most must mustn't my myself no nor not
   now of off on once only or other ought our ours ourselves out over own same shall shan't she she'd she'll she's should
   shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd they'll
   they're they've this those through to too under until up upon us very was wasn't we we'd we'll we're we've were weren't
   what what's when when's where where's whether which while who who's whom why why's will with within won't would wouldn't
   you you'd you'll you're you've your yours yourself yourselves`.split(/\s+/),
);
