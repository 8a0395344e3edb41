import JAPANESE_TO_TRADITIONAL from 'opencc-js/dict/JPShinjitaiCharacters';
import TRADITIONAL_TO_SIMPLIFIED from 'opencc-js/dict/TSCharacters';

/** A simplified character can stand for several others, a word for many combinations of them. */
const MAX_FORMS = 8;

const simplified = new Map(entriesOf(TRADITIONAL_TO_SIMPLIFIED).map(([traditional = '', simple = '']) => [traditional, simple]));
for (const [japanese = '', ...older] of entriesOf(JAPANESE_TO_TRADITIONAL)) {
  const simple = older.map((character) => simplified.get(character) ?? character)[0] ?? japanese;
  for (const character of [japanese, ...older]) if (character !== simple && !simplified.has(character)) simplified.set(character, simple);
}
const written = Map.groupBy([...simplified], ([, simple]) => simple);

function entriesOf(dictionary: string): string[][] {
  return dictionary.split('|').map((entry) => entry.split(' '));
}

/** @returns the text in simplified characters, and the ways to write it in traditional and Japanese ones, by the data of OpenCC */
export function chineseForms(text: string): string[] {
  const simple = Array.from(text, (character) => simplified.get(character) ?? character);
  const forms = simple.reduce(
    (beginnings, character) => beginnings.flatMap((beginning) => formsOf(character).map((other) => beginning + other)).slice(0, MAX_FORMS),
    [''],
  );
  return [simple.join(''), ...forms];
}

/** Many characters, such as 台, are also written so in traditional texts. */
function formsOf(simple: string): string[] {
  return [...(written.get(simple) ?? []).map(([character]) => character), simple];
}
