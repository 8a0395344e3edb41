/** A character and the characters that may take its place, separated by blanks; entries are separated by `|`. */
declare module 'opencc-js/dict/*' {
  const entries: string;
  export default entries;
}

/** Each list has the name of its language in ISO 639-3. */
declare module 'stopword' {
  type List = string[];
  export const bul: List, cat: List, ces: List, dan: List, deu: List, ell: List, eng: List, fin: List, fra: List, heb: List;
  export const hrv: List, hun: List, ita: List, nld: List, nob: List, pol: List, por: List, ron: List, rus: List, slk: List;
  export const slv: List, spa: List, swe: List, tur: List, ukr: List, ara: List, fas: List, hin: List, ind: List;
}
