/**
 * What shows something. The others are: blanks, separators and line ends; control characters but U+0000, which is an
 * error everywhere; format characters but the Arabic, Syriac and Kaithi signs among them, which are visible; what Unicode
 * lets programs ignore, such as the fillers of Hangul; and the blanks of Braille, music and Khitan, which Unicode counts
 * as symbols or letters.
 */
const VISIBLE =
  /[^\p{White_Space}\p{Z}[\p{Cc}--\0]\p{Default_Ignorable_Code_Point}[\p{Cf}--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]\u2800\u{1d159}\u{16fe4}]/v;

/** Whether a text shows nothing as a name, a tag, a prompt or the value of a parameter. Takes linear time. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}
