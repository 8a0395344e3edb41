/** A character and the characters that may take its place, separated by blanks; entries are separated by `|`. */
declare module 'opencc-js/dict/*' {
  const entries: string;
  export default entries;
}
