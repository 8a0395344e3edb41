import { describe, expect, it } from '@jest/globals';
import { promptKeysOf } from '@ugc/api/search/prompt/known';
import { compoundEnds, COMPOUNDING } from '@ugc/text/forms/compounds';
import { itemKeysOf } from '@ugc/text/forms/form-keys';
import { isPartKey, keysOfPart, partKeys } from '@ugc/text/forms/part-keys';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { isLetterKey, LETTERS, mayHaveLetters, promptLetterKeys, typedOtherwise } from '@ugc/text/forms/accents';
import { spelledBy, spellingKeys } from '@ugc/text/forms/spelling-keys';
import { itemFormKeys, languagesOfKeys, promptFormKeys } from '@ugc/text/forms/word-forms';
import { differentWords, EXAMPLE_LANGUAGES, pairsOf } from '../relevance/word-pairs.ts';

function isFound(prompt: string, name: string): boolean {
  const keys = new Set(itemKeysOf({ name, tags: [], description: '', creatorName: '', fileName: null }, NEWEST_RULES).forms);
  return [promptFormKeys, promptLetterKeys].flatMap((keysOf) => keysOf(NEWEST_RULES.fold(prompt))).some((key) => keys.has(key));
}

describe('each form of a word finds a title with the other form, in', () => {
  it.each(EXAMPLE_LANGUAGES)('%s', (language) => {
    const missed = pairsOf(language).filter(([one, other]) => !isFound(one.word, other.title) || !isFound(other.word, one.title));
    expect(missed).toEqual([]);
  });
});

it('a word does not find another word that looks like a form of it', () => {
  expect(differentWords().filter(([one, other]) => isFound(one.word, other.title) || isFound(other.word, one.title))).toEqual([]);
});

it('two letters find what is written with an umlaut, in every language', () => {
  expect(isFound('feuerloescher', 'Feuerlöscher')).toBe(true);
  expect(isFound('djordje', 'Đorđe')).toBe(true);
  expect(isFound('uebergroessentraegerhoehe', 'Übergrößenträgerhöhe')).toBe(true);
  expect(isFound('muenchen', 'Nights in München')).toBe(true);
  expect(isFound('goeteborg', 'Göteborg by night')).toBe(true);
  expect(isFound('soeren', 'Letters to Søren')).toBe(true);
  expect(isFound('poet', 'The pot')).toBe(false);
});

it('long vowels of Japanese find what is written with a macron', () => {
  expect(isFound('juudou', 'Jūdō basics')).toBe(true);
  expect(isFound('shoujo', 'Shōjo poster')).toBe(true);
  expect(isFound('toukyou', 'Tōkyō tower')).toBe(true);
  expect(isFound('house', 'Hose and tap')).toBe(false);
  expect(isFound('book', 'Bök')).toBe(false);
});

it('ə is found as e, which is typed for it, and e as ə', () => {
  expect(isFound('gelin', 'Gəlin və bəy')).toBe(true);
  expect(isFound('seherde', 'Səhərdə çay')).toBe(true);
  expect(isFound('elcin', 'Əlçin')).toBe(true);
  expect(isFound('gelin', 'Galin')).toBe(false);
  expect(typedOtherwise('Gəlin Zoë')).toEqual([{ word: 'gəlin', typed: 'gelin' }]);
  expect(typedOtherwise('Münö Jūdō')).toMatchObject([{ typed: 'muenoe' }, { typed: 'juudou' }]);
});

it.each(LETTERS)('a word with $letter is found by what is typed for it, and by all that its row has: $typed', ({ letter, typed }) => {
  const word = (text: string) => `k${text}l`;
  for (const written of [word(letter), word(letter).toUpperCase(), word(letter.normalize('NFD'))])
    expect(typed.map((one) => isFound(word(one), `A ${written} here`))).toEqual(typed.map(() => true));
  expect([word(letter), word(letter.toUpperCase()), word(letter.normalize('NFD'))].filter((text) => !mayHaveLetters(text))).toEqual([]);
  expect(typedOtherwise(word(letter))).toEqual([{ word: word(letter), typed: word(typed[0]) }]);
  expect(typed.map((one) => isFound(word(one), 'A plain kal, kol or kul'))).toEqual(typed.map(() => false));
});

it.each(
  'kael=Käl koel=Köl kuel=Kül soeren=Søren aal=Ål djak=Đak kaama=Kāma sensei=Sensē neesan=Nēsan niigata=Nīgata toukyou=Tōkyō oosaka=Ōsaka juudo=Jūdo'
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
)('%s is typed for %s', (prompt, name) => expect(isFound(prompt, name)).toBe(true));

it('a key is of a letter, and not of a form or a part that only has the name of one', () => {
  expect(['umlaut:munchen', 'macron:judo', 'schwa:gelin'].filter((key) => !isLetterKey(key))).toEqual([]);
  expect(['de:haus', 'accent:jūdō', 'part:umlaut:x', 'umlauts:x', 'spelling:x'].filter(isLetterKey)).toEqual([]);
});

it('items have the keys that the indices of 1.0.0 have', () => {
  const keys = itemKeysOf({ name: 'Übergroße Jūdō Gəlin', tags: ['Ångström Tōkyō'], description: 'Đorđe Səhərdə Bänēr', creatorName: 'Søren', fileName: null }, NEWEST_RULES).forms; // prettier-ignore
  expect(keys.filter((key) => /^(?:umlaut|macron|schwa|accent):/.test(key))).toEqual([
    'umlaut:soren', 'accent:søren', 'umlaut:ubergrosse', 'accent:übergroße', 'macron:judo', 'accent:jūdō', 'schwa:gelin', 'accent:gəlin',
    'umlaut:angstrom', 'accent:ångström', 'macron:tokyo', 'accent:tōkyō', 'umlaut:dorde', 'accent:đorđe', 'schwa:seherde', 'accent:səhərdə',
    'umlaut:baner', 'macron:baner', 'accent:bänēr',
  ]); // prettier-ignore
});

it('a prompt has keys for each choice of its first three pairs of letters, and for all', () => {
  const word = 'uebergroessentraegerhoehe';
  expect(promptLetterKeys(word)).toHaveLength(8 + 1);
  expect(promptLetterKeys(word)).toEqual(expect.arrayContaining(['umlaut:ubergrossentragerhohe', 'umlaut:uebergrossentraegerhoehe', `schwa:${word}`])); // prettier-ignore
  expect(promptLetterKeys('toukyou')).toEqual(['macron:tokyo']);
  expect(promptLetterKeys('muenchen')).toEqual(['umlaut:munchen', 'schwa:muenchen']);
});

it('a word with an accent has a key of its own, so that what is typed with the accent ranks first', () => {
  const keys = itemKeysOf({ name: 'La tâche', tags: ['Bønder'], description: '', creatorName: 'Zoë', fileName: null }, NEWEST_RULES).forms;
  expect(keys).toEqual(expect.arrayContaining(['accent:tâche', 'accent:bønder', 'accent:zoë']));
  expect(parsePrompt('Tâche la', NEWEST_RULES).accents).toEqual(['accent:tâche']);
  expect(parsePrompt('Tuần gəlin a\u0301 дом ϊ', NEWEST_RULES).accents).toEqual(['accent:tuần', 'accent:gəlin', 'accent:á']);
  expect(parsePrompt('x\u0304áb', NEWEST_RULES).accents).toEqual(['accent:x\u0304áb']);
});

it('the forms of the words of a text without blanks take no more time than those of others', () => {
  const description = 'サーバー'.repeat(25_000);
  expect(itemKeysOf({ name: '', tags: [], description, creatorName: '', fileName: null }, NEWEST_RULES).forms).toEqual([]);
});

it('Hebrew is found with and without one of its vowel letters', () => {
  for (const [one, other] of [
    ['גלויה', 'גלוייה'],
    ['צוהר', 'צהר'],
    ['אומנות', 'אמנות'],
    ['מוסיקה', 'מסיקה'],
  ] as const)
    expect([isFound(one, other), isFound(other, one)]).toEqual([true, true]);
  expect(isFound('ספר', 'סיפור')).toBe(false);
});

it('Serbian is found in both of its scripts', () => {
  expect(isFound('zagrebačka', 'Загребачка банка у граду')).toBe(true);
  expect(isFound('Загребачка', 'Zagrebačka banka u gradu')).toBe(true);
});

it('no key of an item is longer than a word of a language: Elasticsearch would reject the item', () => {
  const tooLong = ['ﷲ', 'щ', 'ä', 'x', 'ö\u0301'].map((letter) => letter.repeat(65));
  for (const description of [tooLong.join(' '), tooLong.join('')])
    expect(
      itemKeysOf({ name: '1', tags: tooLong, description, creatorName: tooLong.join(' '), fileName: null }, NEWEST_RULES).forms,
    ).toEqual([]);
  const word = 'щ'.repeat(64);
  expect(itemKeysOf({ name: word, tags: [], description: 'что это такое', creatorName: '', fileName: null }, NEWEST_RULES).forms).toContain(
    `ru=${word}`,
  );
});

describe('a misspelt word is compared with', () => {
  const keysOf = (texts: Partial<Parameters<typeof itemKeysOf>[0]>): string[] =>
    itemKeysOf({ name: '', tags: [], description: '', creatorName: '', ...texts, fileName: null }, NEWEST_RULES).forms.filter((key) =>
      key.startsWith('spelling:'),
    );

  it('the letters of each Korean word of two syllables and more', () => {
    const keys = keysOf({ name: '두부 국', tags: ['한글'], description: 'tofu 국어' });
    expect(keys).toEqual(['spelling:ㄷㅜㅂㅜ', 'spelling:ㅎㅏㄴㄱㅡㄹ', 'spelling:ㄱㅜㄱㅇㅓ']);
    expect(keys.map(spelledBy)).toEqual(['두부', '한글', '국어']);
    expect(['두부', '국', 'tofu', '두부x'].map(spellingKeys)).toEqual([['spelling:ㄷㅜㅂㅜ'], [], [], []]);
  });

  it('the names and tags of scripts without blanks, as they are written', () => {
    const keys = keysOf({ name: 'ดอกทานตะวัน ๒ (แมว)', tags: ['ກະຕ່າຍ'], description: 'กระต่าย' });
    expect(keys).toEqual(['spelling:ดอกทานตะวัน', 'spelling:แมว', 'spelling:ກະຕ່າຍ']);
    expect(keys.map(spelledBy)).toEqual(['ดอก ทานตะวัน', 'แมว', 'ກະຕ່າຍ']);
    expect(keysOf({ name: 'ก'.repeat(49), tags: ['ก'.repeat(48), '두'.repeat(49)] })).toHaveLength(1);
    expect(keysOf({ name: 'House of tofu', tags: ['дом', '家'] })).toEqual([]);
  });
});

describe('a word is found in names and tags as a part of', () => {
  const isPartOf = (prompt: string, name: string, others: Partial<Parameters<typeof itemKeysOf>[0]> = {}): boolean => {
    const texts = { name, tags: [], description: '', creatorName: '', fileName: null, ...others };
    const keys = new Set(itemKeysOf(texts, NEWEST_RULES).forms);
    return promptKeysOf(NEWEST_RULES.fold(prompt)).some((key) => keys.has(key));
  };

  it.each([
    ['a word with capitals inside', 'lantern', 'OldLanternFactory'],
    ['a word with capitals inside, in its other forms', 'lanterns', 'OldLanternFactory'],
    ['an abbreviation before a word', 'http', 'XMLHttpMocker'],
    ['a word before an abbreviation', 'open', 'OpenSCADtools'],
    ['a word before a digit', 'harbour', 'GreatHarbour2'],
    ['a Cyrillic word with capitals inside', 'карта', 'МояКартаМира'],
    ['Hangul after Latin letters', '전자', 'LG전자 리모컨'],
    ['Hangul before Latin letters', '카드', '카드ABC'],
    ['Hangul after digits', '색연필', '12색연필'],
    ['an abbreviation before Hangul', 'usb', 'USB허브'],
  ])('%s, for example %s in %s', (_, prompt, name) => expect(isPartOf(prompt, name)).toBe(true));

  it.each([
    ['German', 'kanne', 'Gießkanne für den Garten'],
    ['German, with letters in between', 'kalender', 'Adventskalender aus Holz mit Sternen'],
    ['German, in another form', 'kerze', 'Zwei Bienenwachskerzen im Glas'],
    ['German, with an end of three letters', 'uhr', 'Wanduhr aus altem Holz mit Zahlen'],
    ['German, after three letters', 'kanne', 'Teekanne mit Deckel und Tasse'],
    ['Dutch', 'lamp', 'Tafellamp van hout voor de kamer'],
    ['Swedish', 'tröja', 'Stickad barntröja med mönster av ull'],
    ['Swedish, with an end of three letters', 'paj', 'Äpplepaj med kanel och socker till barnen'],
    ['Danish', 'hus', 'Tegning af et lille dukkehus til børn'],
    ['Norwegian', 'genser', 'Oppskrift på ullgenser til barn og voksne'],
    ['Finnish', 'kakku', 'Suklaakakku ja mansikoita lapsille'],
    ['Hungarian', 'doboz', 'Ajándékdoboz papírból, virágokkal és szalaggal'],
  ])('a compound: %s, for example %s in %s', (_, prompt, name) => expect(isPartOf(prompt, name)).toBe(true));

  it.each([
    ['rose', 'Neurose und Angst in unserer Zeit'],
    ['rose', 'Matrose auf dem alten Schiff'],
    ['lampe', 'Die schlampe im Garten'],
  ])('no other word: %s is not in %s', (prompt, name) => expect(isPartOf(prompt, name)).toBe(false));

  it('the name of the file, which is found as a whole too', () => {
    const file = { fileName: 'OakGear_v7.stl' };
    const words = ['oak', 'gears', 'v7', 'stl', 'oakgear'];
    expect(words.filter((word) => !isPartOf(word, 'Wheel', file))).toEqual([]);
    expect(itemKeysOf({ name: 'Wheel', tags: [], description: '', creatorName: '', ...file }, NEWEST_RULES)).toMatchObject({
      forms: expect.arrayContaining(['part:oakgear_v7.stl']),
      nameParts: [],
    });
  });

  it('the name of the file in any script, as a whole if it has at most 64 characters', () => {
    const keysOf = (fileName: string) => itemKeysOf({ name: '', tags: [], description: '', creatorName: '', fileName }, NEWEST_RULES).forms;
    expect(keysOf('हिन्दी_v7.txt')).toEqual(['part:हिन्दी_v7.txt', 'part:हिन्दी', 'part:v7', 'part:txt']);
    expect(['x'.repeat(62), 'x'.repeat(63)].map((text) => keysOf(`${text}.a`).filter((key) => key.endsWith('.a')).length)).toEqual([1, 0]);
    expect(['part:x', 'accent:x', 'umlaut:part:x'].map(isPartKey)).toEqual([true, false, false]);
  });

  it('a description only as a whole, so that a text about a site does not become one about its parts', () => {
    expect(isPartOf('lantern', 'Shop', { description: 'OldLanternFactory' })).toBe(false);
  });

  it('a tag, which is not a part of the name', () => {
    expect(isPartOf('lantern', 'Shop', { tags: ['OldLanternFactory'] })).toBe(true);
  });

  it('at most so many that no item has far more keys than others, and none that takes the form of a word the place', () => {
    const description = Array.from(
      { length: 3_000 },
      (_, n) => `слово${'абвгдежзик'.charAt(n % 10)}${String.fromCharCode(1072 + (n % 31))}`,
    ).join(' ');
    const name = Array.from({ length: 600 }, (_, n) => `Abc${'xyz'.charAt(n % 3)}${String.fromCharCode(97 + (n % 26))}${String.fromCharCode(97 + Math.floor(n / 26))}Def`).join(' '); // prettier-ignore
    const texts = { name, tags: [name], description, creatorName: '', fileName: name };
    const { forms, nameParts } = itemKeysOf(texts, NEWEST_RULES);
    const without = itemKeysOf(texts, { ...NEWEST_RULES, hasParts: false });
    expect(nameParts).toHaveLength(500);
    expect(forms.slice(0, without.forms.length)).toEqual(without.forms);
    expect(forms.length).toBeLessThanOrEqual(2_500);
    expect(without.nameParts).toEqual([]);
  });
});

describe('an end of a compound', () => {
  const WORDS =
    'blatt brett bjorn chef club creme csillag draht dwang dzseki fjord flasche frau gjord glas gnom gras hjul hval kjole kleid knopf ' +
    'kraft kvinne ljus mjolk njure pferd photo platz pneu preis psalm pjas schiff shop sjal skal slott smak snus spiel stuhl svamp swing ' +
    'szalag theater tjej traum tsar tvatt twist vlag vrouw wladimir wrak zsak zwerg';
  const endsOf = (word: string): string[] => COMPOUNDING.flatMap((language) => compoundEnds(word, [language]));

  it.each(WORDS.split(' '))('begins as words of these languages do: %s', (word) => expect(endsOf(`lampa${word}`)).toContain(word));

  it('begins with no other two consonants', () => {
    const consonants = [...'bcdfghjklmnpqrstvwxz'];
    const pairs = consonants.flatMap((one) => consonants.map((other) => one + other)).filter((pair) => !` ${WORDS}`.includes(` ${pair}`));
    expect(pairs.filter((pair) => endsOf(`lampa${pair}anne`).includes(`${pair}anne`))).toEqual([]);
  });

  it('has a vowel, as what is before it has', () => {
    for (const word of ['apfel', 'elch', 'insel', 'ofen', 'unter', 'yacht', 'fisch', 'hund', 'kyst'])
      for (const first of ['lampa', 'kaffe', 'taxi', 'foto', 'kartu', 'baby', 'kinder']) expect(endsOf(first + word)).toContain(word);
    expect(['kndhund', 'ngsthund'].flatMap(endsOf).filter((end) => end === 'hund')).toEqual([]);
    expect(endsOf('eihund')).toEqual([]);
  });

  it('does not begin in the middle of a letter that is written as two, or after a single consonant that ends no word', () => {
    expect([compoundEnds('papierhut', ['de']), compoundEnds('teekanne', ['de']), compoundEnds('taekanne', ['de'])]).toEqual([['hut'], ['anne', 'kanne'], ['anne']]); // prettier-ignore
    expect([compoundEnds('katunhattu', ['fi']), compoundEnds('katulhattu', ['fi'])]).toEqual([['hattu'], []]);
    expect(compoundEnds('tischlampe', ['fi', 'de'])).toEqual(['lampe']);
  });

  it('is looked for in words with an apostrophe, and not in those with a digit', () => {
    const endKeys = (text: string) => partKeys(text, ['de'], NEWEST_RULES.fold).filter((key) => key === 'part:lamp');
    expect(['gartenlampe', "d'arlampe", 'gartenlampe2', 'arlampe'].map((text) => endKeys(text).length)).toEqual([1, 1, 0, 0]);
  });
});

it('a word has keys of the languages that write its letters, each once', () => {
  const languages = ['de', 'fr', 'ru', 'it'];
  for (const word of ['studien', 'книги', 'luci', 'ложек']) {
    for (const keys of [itemFormKeys(word, languages), promptFormKeys(word)]) {
      expect(keys.length).toBeGreaterThan(1);
      expect(new Set(keys).size).toBe(keys.length);
    }
  }
  expect(languagesOfKeys(itemFormKeys('katzen', languages))).toEqual(['de', 'fr', 'it']);
  expect(languagesOfKeys(promptFormKeys('katzen'))).not.toContain('ru');
  expect(languagesOfKeys(['de:katz', 'it=katz', 'part:katz', 'fr'])).toEqual(['de', 'fr', 'it']);
});

it('English words have no form keys, since the index stems them', () => {
  expect(
    itemKeysOf({ name: 'The apples of the old garden', tags: [], description: '', creatorName: '', fileName: null }, NEWEST_RULES).forms,
  ).toEqual([]);
});

it('an item has each key once, and its tags tell its language too', () => {
  const item = { description: '', creatorName: '', fileName: null };
  const { forms, nameParts } = itemKeysOf(
    { ...item, name: 'Kanne OldLantern OldLantern', tags: ['Gießkanne für den Garten'] },
    NEWEST_RULES,
  );
  expect(forms).toEqual(expect.arrayContaining(['de=kanne', 'part:kann']));
  for (const keys of [forms, nameParts]) expect(new Set(keys).size).toBe(keys.length);
  const tags = ['stary dom', 'nad morzem', 'czerwone okna', 'piękny ogród'];
  expect(itemKeysOf({ ...item, name: 'sol', tags }, NEWEST_RULES).forms).toEqual(expect.arrayContaining(['pl=sol', 'pl=dom', 'pl=nad']));
  expect(itemKeysOf({ ...item, name: 'sol', tags: [] }, NEWEST_RULES).forms).not.toContain('pl=sol');
});

it('an item has at most 2,000 keys of forms', () => {
  const letters = (n: number): string => Array.from(n.toString(26), (digit) => String.fromCharCode(97 + parseInt(digit, 26))).join('');
  const words = (count: number): string => Array.from({ length: count }, (_, n) => `${letters(n + 700)}ungen`).join(' ');
  const rules = { ...NEWEST_RULES, hasParts: false };
  const item = { name: 'Die Wanderungen im Gebirge', tags: [], creatorName: '', fileName: null };
  const keys = (count: number) => itemKeysOf({ ...item, description: words(count) }, rules).forms;
  expect(keys(10).length).toBeLessThan(2_000);
  expect(keys(3_000)).toHaveLength(2_000);
});

describe('what the forms of an item cost is limited:', () => {
  const languagesOf = (name: string): string[] => {
    const rules = { ...NEWEST_RULES, hasParts: false };
    const { forms } = itemKeysOf({ name, tags: [], description: '', creatorName: '', fileName: null }, rules);
    return [...new Set(forms.flatMap((key) => /^(\w\w)[=:]/.exec(key)?.[1] ?? []))];
  };

  it('a word has the ten shortest ends of a compound, and one of more than 48 letters none', () => {
    const word = 'gartenlampe'.repeat(5);
    expect(compoundEnds(word.slice(-48), ['de'])).toHaveLength(10);
    expect(compoundEnds(word.slice(-41), ['de']).slice(0, 2)).toEqual(['lampe', 'enlampe']);
    expect(compoundEnds(word.slice(-49), ['de'])).toEqual([]);
  });

  it('a text is in at most four languages, which its first 300 characters tell', () => {
    expect(['sol', 'kanal', 'problem', 'film'].map((text) => languagesOf(text).length)).toEqual([4, 4, 4, 4]);
    const italian = 'La lanterna rossa illumina il vecchio giardino della casa sul mare. '.padEnd(300);
    const polish = 'Stary dom nad morzem ma czerwone okna i piękny ogród pełen róż. '.repeat(20);
    expect([languagesOf(italian + polish), languagesOf(polish)]).toEqual([['it'], ['pl']]);
  });

  it('a part of more than 64 letters has no key', () => {
    expect([64, 65].map((length) => keysOfPart('x'.repeat(length), []).length)).toEqual([1, 0]);
  });
});
