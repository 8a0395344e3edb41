/** The limit of the Stream-Safe Text Format (UAX #15). */
const MAX_MARKS = 30;
/** What normalization sorts or composes. The last ones are no marks, but become some, or compose with each other. */
export const MARK = String.raw`[\p{M}\uff9e\uff9f\u{16d67}-\u{16d6a}]`;
/** The letters of Hangul may compose with what is before them, so normalization does not begin anew at one. */
export const INNER_JAMO = String.raw`[\u1160-\u11ff\u3131-\u318e\uffa0-\uffdc]`;
const SEVERAL = new RegExp(`(?:${MARK}${INNER_JAMO}*){2,}`, 'gu');
const MARKS = new RegExp(MARK, 'gu');
const ASCII_ONLY = /^[\0-\x7f]*$/;

/**
 * The normalization form of a text that somebody else has written, without the marks of a letter beyond 30: normalization
 * sorts and composes them in quadratic time. The linter refuses `String.prototype.normalize` elsewhere.
 */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  return ASCII_ONLY.test(text) ? text : limitMarks(text).normalize(form);
}

/** @returns the text with at most 30 marks in a row. Takes linear time */
export function limitMarks(text: string): string {
  // Each run is read once: a pattern of more than 30 would begin anew at each mark of a shorter run.
  return text.replace(SEVERAL, (run) => {
    if (run.length <= MAX_MARKS) return run;
    let count = 0;
    return run.replace(MARKS, (mark) => ((count += 1) > MAX_MARKS ? '' : mark));
  });
}
