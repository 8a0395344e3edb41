import TRADITIONAL_TO_SIMPLIFIED from 'opencc-js/dict/TSCharacters';

/** A simplified character can stand for several traditional ones, a word for many combinations of them. */
const MAX_FORMS = 8;

const pairs = TRADITIONAL_TO_SIMPLIFIED.split('|').map((entry) => entry.split(' '));
const simplified = new Map(pairs.map(([traditional = '', simple = '']) => [traditional, simple]));
const traditional = Map.groupBy(pairs, ([, simple = '']) => simple);

/** @returns the text in simplified characters, and the ways to write it in traditional ones, by the data of OpenCC */
export function chineseForms(text: string): string[] {
  const simple = Array.from(text, (character) => simplified.get(character) ?? character);
  const forms = simple.reduce(
    (beginnings, character) =>
      beginnings.flatMap((beginning) => traditionalOf(character).map((other) => beginning + other)).slice(0, MAX_FORMS),
    [''],
  );
  return [simple.join(''), ...forms];
}

/** Many characters, such as 台, are also written so in traditional texts. */
function traditionalOf(simple: string): string[] {
  return [...(traditional.get(simple) ?? []).map(([character = '']) => character), simple];
}
