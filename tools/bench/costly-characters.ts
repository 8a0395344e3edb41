/** The searched form of a text of 10,000 characters has at most so many UTF-16 code units. */
const SEARCHED_UNITS_MAX = 20_000;
const DESCRIPTION_MAX_CHARACTERS = 10_000;

/** Of all characters, those of which one form is longest: the same rule finds those of a later version of Unicode. */
export const COSTLY_CHARACTERS = {
  'the longest compatible form': mostOf((character) => character.normalize('NFKC').length),
  'the longest decomposed form': mostOf((character) => character.normalize('NFKD').length),
  'the longest folded form': mostOf((character) => character.toUpperCase().toLowerCase().length / character.length),
  'the longest form in JSON': mostOf((character) => JSON.stringify(character).length / character.length),
  'the longest form in UTF-8': mostOf((character) => Buffer.byteLength(character) / character.length),
};

/** As many of the characters as the limits of characters and of the searched form allow in a description. */
export function longestDescription(character: string): string {
  const count = Math.floor(SEARCHED_UNITS_MAX / character.normalize('NFKC').length) - 20;
  return character.repeat(Math.min(count, DESCRIPTION_MAX_CHARACTERS / character.length));
}

function mostOf(cost: (character: string) => number): string {
  let [most, highest] = ['', 0];
  for (let code = 1; code <= 0x1ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    if (cost(character) > highest) [most, highest] = [character, cost(character)];
  }
  return most;
}
