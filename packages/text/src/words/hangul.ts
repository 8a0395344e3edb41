/** The letters of Hangul. Each is the same at the beginning and at the end of a syllable, unlike in normalization form NFD. */
const INITIALS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'];
const VOWELS = [...'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ'];
const FINALS = ['', ...'ㄱ ㄲ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ ㅁ ㅂ ㅂㅅ ㅅ ㅆ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ'.split(' ')];
/** Unicode has all syllables in the order of their letters, and folds a letter that stands alone to one of the initials. */
const FIRST_SYLLABLE = 0xac00;
const FIRST_INITIAL = 0x1100;

const SYLLABLES = /^[가-힣]+$/;

/** Whether a folded word consists of complete syllables of Hangul. */
export function isHangul(word: string): boolean {
  return SYLLABLES.test(word);
}

type Letters = { initial: number; vowel: number; final: number };

function lettersIn(syllable: string): Letters {
  const order = syllable.charCodeAt(0) - FIRST_SYLLABLE;
  const [initial, rest] = [Math.floor(order / (VOWELS.length * FINALS.length)), order % (VOWELS.length * FINALS.length)];
  return { initial, vowel: Math.floor(rest / FINALS.length), final: rest % FINALS.length };
}

function toSyllable({ initial, vowel, final }: Letters): string {
  return String.fromCharCode(FIRST_SYLLABLE + (initial * VOWELS.length + vowel) * FINALS.length + final);
}

/** @returns the text with its syllables of Hangul as letters: `ㄷㅜㅂㅜ` of `두부` */
export function spellHangul(text: string): string {
  return text.replace(/[가-힣]/g, (syllable) => {
    const { initial, vowel, final } = lettersIn(syllable);
    return `${INITIALS[initial]}${VOWELS[vowel]}${FINALS[final]}`;
  });
}

/** @param letters as of `spellHangul` */
export function composeHangul(letters: string): string {
  return letters.replace(/([ㄱ-ㅎ])([ㅏ-ㅣ])((?:[ㄱ-ㅎ](?![ㅏ-ㅣ]))*)/g, (_, initial: string, vowel: string, final: string) =>
    toSyllable({ initial: INITIALS.indexOf(initial), vowel: VOWELS.indexOf(vowel), final: FINALS.indexOf(final) }),
  );
}

/** Texts with the same beginning, of which the next character is in a range. */
export type Continued = { beginning: string; first: string; last: string };

const UNFINISHED = /[ᄀ-ᄒ가-힣]$/;
const MAX_FINAL = FINALS.length - 1;

/**
 * @returns how a folded text may go on if its last syllable is being typed, in the order of the keys: `두` becomes `둡` before
 *   it becomes `두부`. None if it does not end in Hangul.
 */
export function continuedHangul(text: string): Continued[] {
  if (!UNFINISHED.test(text)) return [];
  const [beginning, end] = [text.slice(0, -1), text.slice(-1)];
  if (!isHangul(end)) return [startedBy(beginning, end.charCodeAt(0) - FIRST_INITIAL)];
  const letters = lettersIn(end);
  if (letters.final === 0)
    return [{ beginning, first: end, last: toSyllable({ ...letters, vowel: lastVowel(letters), final: MAX_FINAL }) }];
  const final = FINALS[letters.final] ?? '';
  const longest = FINALS.findLastIndex((other) => other.startsWith(final));
  const open = toSyllable({ ...letters, final: FINALS.indexOf(final.slice(0, -1)) });
  return [
    { beginning, first: end, last: toSyllable({ ...letters, final: longest }) },
    startedBy(beginning + open, INITIALS.indexOf(final.slice(-1))),
  ];
}

/** All syllables with this initial. */
function startedBy(beginning: string, initial: number): Continued {
  const [first, last] = [
    { vowel: 0, final: 0 },
    { vowel: VOWELS.length - 1, final: MAX_FINAL },
  ].map((rest) => toSyllable({ initial, ...rest }));
  return { beginning, first: first ?? '', last: last ?? '' };
}

/** The vowels of two keys follow their first one: ㅘ, ㅙ and ㅚ are typed as ㅗ and another one. */
const LAST_COMPOUND: Readonly<Record<string, string>> = { ㅗ: 'ㅚ', ㅜ: 'ㅟ', ㅡ: 'ㅢ' };

function lastVowel({ vowel }: Letters): number {
  const last = LAST_COMPOUND[VOWELS[vowel] ?? ''];
  return last === undefined ? vowel : VOWELS.indexOf(last);
}

/** @returns the text without the letter that may belong to the next syllable; undefined if there is none, or nothing before it */
export function withoutLastLetter(text: string): string | undefined {
  const [continued] = continuedHangul(text).slice(-1);
  return continued && continued.beginning !== '' && continued.first !== text.slice(-1) ? continued.beginning : undefined;
}
