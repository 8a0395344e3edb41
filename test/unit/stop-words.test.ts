import { expect, it } from '@jest/globals';
import { withoutStopWords } from '@ugc/text/words/stop-words';

it.each([
  ['German', ['die lampe und das haus der tante'], ['  lampe     haus   tante']],
  ['Spanish', ['la casa de mi abuela', 'el gato'], ['  casa     abuela', '  gato']],
  ['Hindi, with its vowel signs', ['घर की छत का रंग'], ['    छत   रंग']],
  ['French, with words that an apostrophe joins', ["l'eau et le vin"], ["l'eau     vin"]],
  ['the language that all texts tell together', ['lampe', 'die und der'], ['lampe', '     ']],
  ['the words of each text, not what two of them are together', ['lampe die', 'und haus'], ['lampe  ', '  haus']],
  ['each language, however its words are spread over the texts', ['der hund die', 'und le chat la les'], ['  hund  ', '    chat    ']],
  ['several languages with as many words', ['der hund', 'een hond'], ['  hund', '  hond']],
  ['also one with three quarters as many', ['die der und man een hond'], ['          hond']],
  ['not one with fewer', ['die der und das man een hond'], ['          een hond']],
  ['but not English, which the index omits', ['our own lighthouse at night'], ['our own lighthouse at night']],
  ['of a text without any, nothing', ['lamp'], ['lamp']],
  ['of a text without words, nothing', ['2026'], ['2026']],
])('items are compared without the stop words of their language: %s', (_, texts, compared) => {
  expect(withoutStopWords(texts)).toEqual(compared);
});
