import { describe, expect, it } from '@jest/globals';
import { inOtherLayouts, LETTER_KEYS, transliterated } from '@ugc/text/ways/other-scripts';
import { namedItem, possibleItem } from '@ugc/text/prompt/named-item';
import { QUOTES } from '@ugc/text/prompt/quotations';
import { foldedWords, parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { replaceWords } from '@ugc/text/prompt/replace-words';
import { smallWords } from '@ugc/text/prompt/small-words';
import { strictLiterals } from '@ugc/text/prompt/split-words';
import { parseLiteral } from '@ugc/text/words/literals';
import { hasOnlyLetters, isLatin } from '@ugc/text/words/word';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';

const parse = (prompt: string) => parsePrompt(prompt, NEWEST_RULES);
const words = (texts: string): string[] => texts.split(' ');

describe('parsePrompt', () => {
  it.each([
    ['red bicycle', { words: ['red', 'bicycle'], unfinished: 'bicycle' }],
    ['Red, RED red!', { words: ['red'], unfinished: 'red' }],
    ['"misty harbour" boats', { phrases: ['misty harbour'], words: ['boats'], unfinished: 'boats' }],
    ['boats "misty harbour"', { phrases: ['misty harbour'], words: ['boats'], unfinished: undefined }],
    ['soup -spicy -"very hot"', { words: ['soup'], excludedWords: ['spicy'], excludedPhrases: ['very hot'], unfinished: undefined }],
    ['„misty harbour“', { phrases: ['misty harbour'], words: [] }],
    ...['דו"ח', 'דו״ח', 'דו”ח', "דו''ח", 'דו’’ח'].map((word): [string, object] => [
      `${word} שנתי`,
      { words: ['דוח', 'שנתי'], phrases: [] },
    ]),
    ['"דו"ח שנתי" צה"ל', { words: ['צהל'], phrases: ['דוח שנתי'] }],
    ['מפה -"דו"ח שנתי"', { words: ['מפה'], excludedPhrases: ['דוח שנתי'] }],
    ['"never closed', { words: ['never', 'closed'], unfinished: 'closed' }],
    ['salt/pepper author:bruce', { words: ['salt', 'pepper', 'author', 'bruce'], unfinished: 'bruce' }],
    ['cat-fox/r2-d2 mole×owl', { words: ['cat', 'fox', 'r2-d2', 'mole', 'owl'], unfinished: 'owl' }],
    ['mp3/flac,wav', { words: ['mp3', 'flac', 'wav'], unfinished: 'wav' }],
    ['wav,mp3/flac,ogg/opus', { words: ['wav', 'mp3', 'flac', 'ogg', 'opus'], unfinished: 'opus' }],
    ['ps4/ps5(slim)', { words: ['ps4', 'ps5', 'slim'], unfinished: 'slim' }],
    ['spider-man×hulk,comic', { words: ['spider', 'man', 'hulk', 'comic'], unfinished: 'comic' }],
    ['comic,r2-d2;plan', { words: ['comic', 'r2-d2', 'plan'], unfinished: 'plan' }],
    ['"Tile 10×20" 10×20 -10×20', { phrases: ['tile 10×20'], words: ['10×20'], excludedWords: ['10×20'], unfinished: undefined }],
    ['at&t c/c++ node.js r2-d2', { words: ['at&t', 'c/c++', 'node.js', 'r2-d2'], unfinished: 'r2-d2' }],
    ['a/cat salt/pepper', { words: ['a/cat', 'salt', 'pepper'], unfinished: 'pepper' }],
    ['lamp 1.5', { words: ['lamp', '1.5'], unfinished: '1.5' }],
    ['notepad c++', { words: ['notepad', 'c++'], unfinished: 'c++' }],
    ["1990's posters", { words: ["1990's", 'posters'] }],
    ["the cat's", { words: ["cat's"], unfinished: undefined }],
    ['thats the lamp theres', { words: ['lamp'], dropped: ['thats', 'the', 'theres'] }],
    ["o'sullivan", { words: ["o'sullivan"], unfinished: "o'sullivan" }],
    ['rack 5′x2 a′2 dogs′', { words: ['rack', '5', 'x2', '2', 'dogs'] }],
    ["it's its", { words: ["it's", 'its'], isLiteral: true }],
    ["it's a trap", { words: ['trap'], dropped: ["it's", 'a'] }],
    ['gitte commit --amend', { words: ['gitte', 'commit', 'amend'], excludedWords: [] }],
    ['npmo -g', { words: ['npmo', 'g'], excludedWords: [] }],
    ['sleepsack -20 -1.5° -$5', { words: ['sleepsack', '20', '1.5', '5'], excludedWords: [] }],
    ['sleepsack -1,5° -20% -20. -20, -20! -20? -100° -1.25', { words: ['sleepsack', '1,5', '20', '100', '1.25'], excludedWords: [] }],
    [`lamp -${'1$ab$'.repeat(20)}1++`, { words: words('lamp'), excludedWords: [`${'1$ab$'.repeat(20)}1++`] }],
    ['bag -20°C -20℃ -5°c -10F. -3dB -40dBm -12V -5mV', { words: words('bag 20 c 5 10f 3db 40dbm 12v 5mv'), excludedWords: [] }],
    ['bag -20° -33°51\'35" -٥° -20°С -12В -20도', { words: words("bag 20 33 51'35 5 12в 20도"), excludedWords: [] }],
    ['寝袋 -20度 -５円', { words: ['寝袋', '20', '度', '5', '円'], excludedWords: [], excludedPhrases: [] }],
    ['gift -5€ -5,50€! -€5 -R$5 -7zł -9EUR', { words: words('gift 5 5,50 r$5 7zl 9eur'), excludedWords: [] }],
    ['cup -½ -2½ -3/4. -1/3', { words: words('cup 1/2 2 3/4 1/3'), excludedWords: [] }],
    ['python -m. -s! -g) -c, -b…', { words: words('python m s g c b'), excludedWords: [] }],
    ["game -4k -5g -50mm -1.5kg -5th -90s -90's", { words: ['game'], excludedWords: words("4k 5g 50mm 1.5kg 5th 90s 90's") }],
    ['game -3dprinting -12victims -v2ray -a$ap', { words: ['game'], excludedWords: words('3dprinting 12victims v2ray a$ap') }],
    [
      'code -c# -c++ -10×20 -1.2.3 -1000° -20代',
      { words: ['code'], excludedWords: words('c# c++ 10×20 1.2.3 1000°'), excludedPhrases: ['20代'] },
    ],
    ['lamp -draft-a -raw--old -.5', { words: ['lamp'], excludedWords: ['draft-a', 'raw--old', '.5'] }],
    ['calendar -2024 -3d -#draft -.net', { words: ['calendar'], excludedWords: ['2024', '3d', '#draft', '.net'] }],
    ['猫 -東京', { words: ['猫'], excludedPhrases: ['東京'] }],
    ['地図 -“東京 夜景”', { words: ['地図'], excludedPhrases: ['東京 夜景'] }],
    ['"夏物語 -東京編-"', { words: [], phrases: ['夏物語 -東京編-'] }],
    ['猫 -"東京 -京都"', { words: ['猫'], excludedPhrases: ['東京 -京都'] }],
    ['แมว -โรงพยาบาลเด็ก', { words: ['แมว'], excludedPhrases: ['โรง พยาบาล เด็ก'] }],
    ['猫 －東京', { words: ['猫'], excludedPhrases: ['東京'] }],
    ['-東京 猫', { words: ['猫'], excludedPhrases: ['東京'] }],
    ['"本"-東京', { phrases: ['本'], words: ['東京'], excludedPhrases: [] }],
    ['猫 -xy東京yz 犬', { words: ['猫', '犬'], excludedPhrases: ['xy東京yz'] }],
    ['猫 -東京 夜景', { words: ['猫', '夜景'], excludedPhrases: ['東京'] }],
    ['猫 -東京"夜景"', { words: ['猫'], excludedPhrases: ['東京'], phrases: ['夜景'] }],
    ['猫 -x 東京', { words: ['猫', 'x', '東京'], excludedPhrases: [], phrases: [] }],
    ['猫 -a"東京"', { excludedPhrases: [], phrases: [] }],
    ['本-東京', { words: ['本', '東京'], excludedPhrases: [], phrases: [] }],
    ['猫 -ねこ -ネコ', { words: ['猫'], excludedPhrases: ['ねこ', 'ネ コ'] }],
    ['猫 -ກະຕ່າຍ -ពិភព -ကမ္ဘာ', { words: ['猫'], excludedPhrases: ['ກະຕ່າຍ', 'ពិភព', 'ကမ္ဘာ'] }],
    ['quay −iOS', { words: ['quay'], excludedWords: ['ios'] }],
    ['gitte commit —amend —No-edit', { words: ['gitte', 'commit', 'amend', 'edit'], excludedWords: [] }],
    ['quay  –crane NOT  lamp', { words: ['quay'], excludedWords: ['crane', 'lamp'] }],
    ['–crane quay –5th NOT 5th', { words: ['crane', 'quay', '5th'], excludedWords: [] }],
    ['quay –crane', { words: ['quay'], excludedWords: ['crane'] }],
    ['quay NOT crane', { words: ['quay'], excludedWords: ['crane'] }],
    ['quay NOT "tall crane"', { words: ['quay'], excludedPhrases: ['tall crane'] }],
    ['DO NOT DISTURB sign', { words: ['do', 'disturb', 'sign'], excludedWords: [] }],
    ['QUAY –CRANE', { words: ['quay', 'crane'], excludedWords: [] }],
    ['Quay – crane 5–6', { words: ['quay', 'crane', '5', '6'], excludedWords: [] }],
    ['"quay NOT crane –x"', { phrases: ['quay not crane –x'], excludedWords: [] }],
    ['"Bild"-Zeitung', { phrases: ['bild'], words: ['zeitung'], excludedWords: [] }],
    ['"Bild"-"Neue Zeitung"', { phrases: ['bild', 'neue zeitung'], words: [], excludedPhrases: [] }],
    ['well-known songs', { words: ['well', 'known', 'songs'], unfinished: 'songs' }],
    ["dog's, dogs’", { words: ["dog's", 'dogs'], unfinished: 'dogs' }],
    ['the art of the garden', { words: ['art', 'garden'], dropped: ['the', 'of'], unfinished: 'garden', isLiteral: false }],
    ['"misty harbour" the', { words: [], dropped: ['the'], isLiteral: false }],
    ['bread and', { words: ['bread'], unfinished: undefined, droppedEnd: 'and' }],
    ['to be or not to be', { words: ['to', 'be', 'or', 'not'], isLiteral: true, dropped: [], unfinished: 'be', droppedEnd: undefined }],
    [
      '*** ( ) - -- "" + ? \' !?.,; && || \\ / ~ ^ € <> -*** "***"',
      { words: [], phrases: [], excludedWords: [], excludedPhrases: [], isLiteral: false },
    ],
    ['🦊 日本語', { words: ['🦊', '日本', '本語'], unfinished: undefined }],
    ['東京夜景 図書館員', { words: ['東京', '夜景', '図書', '書館', '館員'] }],
    ['猫の写真 東京都', { words: ['猫', '写真', '東京', '京都'] }],
    ['本カバー pdf', { words: ['本カバー', 'pdf'] }],
    ['人々a', { words: ['人', '々a'] }],
    ['木马摆件 竹编灯', { words: ['木马', '马摆', '摆件', '竹编', '编灯'] }],
    ['時々 人々の夜', { words: ['時々', '人々', '夜'] }],
    ['人〻 時々々', { words: ['人〻', '時々々'] }],
    ['ア\u3099ト 犬', { words: ['ア\u3099ト', '犬'] }],
    ['"_" tea -_ -"_"', { words: ['tea'], phrases: [], excludedWords: [], excludedPhrases: [] }],
    ['小さな灯台の物語', { words: ['小さ', 'さな', 'な灯', '灯台', '台の', 'の物', '物語'] }],
    ['東京の 猫いと山 猫とか山', { words: ['東京', '京の', '猫い', 'いと', 'と山', '猫と', 'とか', 'か山'] }],
    ['3salt/pepper salt/pepper/3 ada@example', { words: ['3salt/pepper', 'salt/pepper/3', 'ada@example'] }],
    ['हिन्दी/फिल्म cat/fox/owl', { words: ['हिन्दी', 'फिल्म', 'cat', 'fox', 'owl'] }],
    ["won't/don't", { words: ["won't", "don't"] }],
    ["c3-abcde c3-a1bc c3-a'bc c3-हिन्दी", { words: ['c3-abcde', 'c3-a1bc', "c3-a'bc", 'c3-हिन्दी'] }],
    ['abcไทย', { words: ['abcไทย'] }],
    ['party🎉 👩‍👩‍👧', { words: ['party', '🎉', '👩‍👩‍👧'] }],
  ])('splits %j into words, phrases, exclusions and an unfinished word', (prompt, expected) => {
    const { words, phrases, excludedPhrases, ...rest } = parse(prompt);
    const textsOf = (parts: { text: string }[]): string[] => parts.map(({ text }) => text);
    const texts = { words: textsOf(words), phrases: textsOf(phrases), excludedPhrases: textsOf(excludedPhrases) };
    expect({ ...rest, ...texts }).toMatchObject(expected);
  });

  it.each([...QUOTES])('takes %s for a quotation mark', (mark) => {
    expect(parse(`old ${mark}misty harbour${mark} boats`)).toMatchObject({ phrases: [{ text: 'misty harbour' }], words: [{ text: 'old' }, { text: 'boats' }] });
    expect(parse(`猫 -${mark}東京 夜景${mark}`).excludedPhrases).toMatchObject([{ text: '東京 夜景' }]);
  }); // prettier-ignore

  it.each([...'`′ʹˈ‵'])('takes %s between letters for an apostrophe', (mark) => {
    expect(parse(`sailor${mark}s knot`).words).toMatchObject([{ text: "sailor's" }, { text: 'knot' }]);
  });

  it('knows words joined by hyphens, and up to eight words with accents, each once', () => {
    expect(parse('a plug-in, well-known-songs "old-new" x').compounds).toEqual(['plug-in', 'well-known-songs']);
    const accents = [...'áàâãäåéèê'];
    expect(parse(`á ${accents.join(' ')}`).accents).toEqual(accents.slice(0, 8).map((word) => `accent:${word}`));
  });

  it('has a last word that may be unfinished, if it is not longer than 50 letters', () => {
    expect([50, 51].map((length) => parse('x'.repeat(length)).unfinished?.length)).toEqual([50, undefined]);
  });

  it('keeps emoji and words of katakana apart from the words that they stand next to', () => {
    expect(parse('party🎉 teaカメラ').words).toMatchObject([
      { text: 'party', kind: 'word' },
      { text: '🎉', kind: 'run' },
      { text: 'tea', kind: 'word' },
      { text: 'カメラ', kind: 'run' },
    ]);
  });

  it.each([...'のとやをにでがはへも'])('leaves out %s between two words', (particle) => {
    expect(parse(`猫${particle}犬`).words).toMatchObject([{ text: '猫' }, { text: '犬' }]);
  });

  it('a quotation of more than 20 words only ranks: its words are searched for, of which one is enough', () => {
    const quoted = (count: number): string =>
      `"${Array.from({ length: count }, (_, n) => `word${String.fromCharCode(97 + n)}`).join(' ')}"`;
    expect(parse(quoted(20))).toMatchObject({ isDescriptive: false, words: [] });
    const { words, phrases, isDescriptive } = parse(quoted(21));
    expect([words.length, phrases.length, isDescriptive]).toEqual([21, 1, true]);
    expect(parse(`-${quoted(21)}`)).toMatchObject({ isDescriptive: false, words: [], excludedPhrases: [expect.anything()] });
    expect(parse(`"${'to be or not to be '.repeat(5).trim()}"`)).toMatchObject({ isDescriptive: false, words: [] });
  });

  it('counts the occurrences of each word', () => {
    expect(parse('tea green tea').words).toEqual([
      { text: 'tea', kind: 'word', count: 2 },
      { text: 'green', kind: 'word', count: 1 },
    ]);
    expect(foldedWords('tea 🎉', NEWEST_RULES)).toEqual([
      { text: 'tea', kind: 'word', count: 1 },
      { text: '🎉', kind: 'run', count: 1 },
    ]);
  });

  it.each([
    ['what is this about', ['what', 'about'], ['is', 'this']],
    ['which lamp is about tea', ['lamp', 'tea'], ['which', 'is', 'about']],
    ['what would you do about it', ['what', 'would', 'you', 'do', 'about', 'it'], []],
    ['which recipes are there about tea', ['recipes', 'tea'], ['which', 'are', 'there', 'about']],
  ])('drops function words from prompts of more than four words, unless nothing else is left: %s', (prompt, words, dropped) => {
    expect(parse(prompt)).toMatchObject({ words: words.map((text) => ({ text })), dropped });
  });

  it.each([
    ['wie faltet man ein papierboot', ['faltet', 'papierboot'], ['wie', 'man', 'ein']],
    ['lampe und licht und tisch', ['lampe', 'licht', 'tisch'], ['und']],
    ['una tetera para mi abuela', ['tetera', 'abuela'], ['una', 'para', 'mi']],
    ['was ist in der box', ['box'], ['ist', 'der']],
    ['сказки о любви и море', ['сказки', 'любви', 'море'], ['о', 'и']],
    ['comment faire une lampe avec du bois', ['comment', 'lampe', 'bois'], ['faire', 'une', 'avec', 'du']],
    ['lampa do domu się', ['lampa', 'domu'], ['do', 'sie']],
    ['jak dojechać do krakowa', ['dojechac', 'krakowa'], ['jak', 'do']],
    ['how do magnets work', ['how', 'do', 'magnets', 'work'], []],
    ['hit man mask', ['hit', 'man', 'mask'], []],
    ['die cast van', ['die', 'cast', 'van'], []],
    ['rest api de jour es', ['rest', 'api', 'jour'], ['de', 'es']],
    ['wie faltet man ein una', ['faltet', 'una'], ['wie', 'man', 'ein']],
    ['der und die', ['der', 'und', 'die'], []],
    ['iron man hat', ['iron', 'man', 'hat'], []],
    ['tar for node', ['tar', 'node'], []],
    ['exported as ES modules', ['exported', 'es', 'modules'], []],
    ['mod sale door cat', ['mod', 'sale', 'door', 'cat'], []],
    ['c t shirt', ['c', 't', 'shirt'], []],
    ['the van of the man', ['van', 'man'], []],
    ['cà phê sữa đá', ['ca', 'phe', 'sua', 'da'], []],
    ['túi da bò', ['tui', 'da', 'bo'], []],
    ['sổ tay da', ['so', 'tay', 'da'], []],
    ['quán ăn', ['quan', 'an'], []],
    ['con gà đỏ', ['con', 'ga', 'do'], []],
    ['thé vert', ['the', 'vert'], []],
    ['machine à laver', ['machine', 'laver'], []],
    ['oiseaux en été', ['oiseaux', 'ete'], ['en']],
    ['rezept für crème brûlée', ['rezept', 'creme', 'brulee'], ['fur']],
    ['rezept fur suppe', ['rezept', 'fur', 'suppe'], []],
    ['flaskehals på dansk', ['flaskehals', 'dansk'], ['pa']],
    ['uhr holz', ['uhr', 'holz'], []],
    ['reise nach málaga', ['reise', 'malaga'], ['nach']],
    ['la maison où je vis', ['maison', 'vis'], ['la', 'ou', 'je']],
    ['¿qué es una tetera?', ['tetera'], ['que', 'es', 'una']],
    ['carte şi masă', ['carte', 'masa'], ['si']],
    ['mapa în România', ['mapa', 'romania'], []],
    ['knjiga među zvezdama i đak', ['knjiga', 'medu', 'zvezdama', 'dak'], []],
  ])('words that carry grammar in another language are small, unless nothing else is left: %s', (prompt, words, smallWords) => {
    expect(parse(prompt)).toMatchObject({ words: words.map((text) => ({ text })), smallWords });
  });

  it.each([
    ['und the', 'und'],
    ['und the of', ''],
    ['le und', 'le und'],
    ['chat', ''],
  ])('small words are those of each language with most of them, unless English has more: %s', (words, small) => {
    expect([...smallWords(words.split(' '))].join(' ')).toBe(small);
  });

  it('pairs words that follow each other directly', () => {
    expect(parse('red dice tower of wood "made by hand" cheap plans -old plans').pairs).toEqual([
      ['red', 'dice'],
      ['dice', 'tower'],
      ['cheap', 'plans'],
    ]);
    expect(parse('black bird blackb ird').pairs).toHaveLength(3);
    expect(parse('tetera para mi abuela roja').pairs).toEqual([['abuela', 'roja']]);
  });

  it('knows of each part of up to four characters the whole, by which an item comes first', () => {
    const wholes = (prompt: string): (string | undefined)[] => parse(prompt).words.map(({ within }) => within);
    expect(wholes('東京')).toEqual([undefined]);
    expect(wholes('竹编灯')).toEqual(['竹编灯', '竹编灯']);
    expect(wholes('東京夜景')).toEqual(['東京夜景', '東京夜景']);
    expect(wholes('小さな灯台')).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each([
    ['one two three four five six seven eight', false],
    ['one two three four five six seven eight nine', true],
    ['of the one two three four five six seven eight', false],
  ])('of more than eight searched words is descriptive: %s', (prompt, isDescriptive) => {
    expect(parse(prompt)).toMatchObject({ isDescriptive });
  });

  it.each([
    ['500 words', Array.from({ length: 500 }, (_, n) => `w${n}`).join(' ')],
    ['1,000 ideographs', Array.from({ length: 1_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')],
    ['200 excluded words', Array.from({ length: 200 }, (_, n) => `-ab${n}`).join(' ')],
    ['a word of 30,000 letters', 'w'.repeat(30_000)],
  ])('uses only the first 100 terms of %s', (_, prompt) => {
    const { words, excludedWords } = parse(prompt);
    expect(words.length + excludedWords.length).toBeLessThanOrEqual(100);
    expect([...words.map(({ text }) => text), ...excludedWords].join('').length).toBeLessThanOrEqual(255 * 100);
  });

  it('counts a stop word as a fifth of another one, since the query has fewer clauses for it', () => {
    const words = Array.from({ length: 21 }, (_, n) => `w${n}`).join(' ');
    expect(parse(`${'the '.repeat(400)}${words}`).words).toHaveLength(20);
    expect(parse(`${'the '.repeat(401)}${words}`).words).toHaveLength(19);
  });

  it('keeps a quotation that is cut off at the first 100 terms', () => {
    expect(
      parse(`"${'word '.repeat(300)}"`)
        .phrases[0]?.text.trim()
        .split(' '),
    ).toHaveLength(100);
  });
});

describe('a word has symbols that are meant', () => {
  it.each([
    ['c#', 'c#', true],
    ['c++', 'c++', true],
    ["c++'s", 'c++', true],
    ['ab+', 'ab+', true],
    ['18+', '18+', true],
    ['.net', '.net', true],
    ['(.net)', '.net', true],
    ['.net-core', '.net-core', false],
    ['r2-d2', 'r2-d2', false],
    ['3/4', '3/4', false],
    ['c/c++', 'c/c++', false],
  ])('%s: %s', (chunk, text, strict) => expect(parseLiteral(chunk)).toEqual({ text, strict }));

  it.each(['abc+', '...net', 'c+++', 'well-known', "dog's", 'snake_case', 'end.', '(word)', `${'x'.repeat(40)}.${'x'.repeat(40)}`])(
    'but not %s',
    (chunk) => expect(parseLiteral(chunk)).toBeUndefined(),
  );

  it('also in a text, with the position of the last one', () => {
    expect(strictLiterals('c++ r2-d2 (.net)')).toEqual([
      { text: 'c++', isLast: false },
      { text: '.net', isLast: true },
    ]);
    expect(strictLiterals('c++ code')).toEqual([{ text: 'c++', isLast: false }]);
  });

  it('in a quoted phrase only if they are no punctuation between terms', () => {
    expect(parse('"c++ r2-d2 .net"').phrases).toEqual([{ text: 'c++ r2-d2 .net', literals: ['c++', '.net'] }]);
  });
});

describe('a word that was typed', () => {
  it.each([
    ...[
      ['ghbdtn', 'привет'],
      ['k.,jdm', 'любовь'],
      ['[kt,', 'хлеб'],
      [':bpym', 'жизнь'],
      ['v`l', 'мед'],
      ['];fr', 'їжак'],
    ],
    ...[
      ['kalhm;era', 'καλημερα'],
      ['akuo', 'שלום'],
      ['lvpfh', 'مرحبا'],
      ['дшпрерщгыу', 'lighthouse'],
      ['вщтэе', "don't"],
      ['יקךךם', 'hello'],
    ],
  ])('with another layout of the keyboard may be another one: %s is %s', (typed, word) => expect(inOtherLayouts(typed)).toContain(word));

  it.each(['[х', ']ъ', '{х', '}ъ', ';ж', ':ж', "'э", ',б', '.ю', '<б', '>ю', '`е', '~е'])('may have a letter on each key of a sign: %s', ([key = '', letter = '']) => {
    expect(LETTER_KEYS.test(key)).toBe(true);
    for (const [typed, word] of [[`g${key}h`, `п${letter}р`], [`${key}gh`, `${letter}пр`], [`gh${key}`, `пр${letter}`]] as const)
      expect(inOtherLayouts(typed)).toContain(word);
  }); // prettier-ignore

  it.each([
    ['ghbdtn', ['لالايفي', 'γηβδτν', 'עינגאמ', 'привет']],
    ["don't", ['يخيطف', 'δοντ', 'גםמא', 'вщтэе', 'вщтєе']],
    ['b', ['لا', 'β', 'נ', 'и']],
    ['لا', ['gh']],
    ['шалом', ['ifkjv']],
    ['цуэдд', ["we'll"]],
    ['хле', []],
    ['леб', []],
    ['ghbdtn1', []],
    ['ghbdtnбр', []],
  ])('is each word that the same keys write: %s', (typed, words) => expect(inOtherLayouts(typed)).toEqual(words));

  it('with keys that have no letters is none in another layout', () => {
    expect([...'abc123"#-'].filter((key) => LETTER_KEYS.test(key))).toEqual([]);
    for (const text of ['', ';', 'c++', 'r2-d2', '東京', 'straße', '"k.,jdm"']) expect(inOtherLayouts(text)).toEqual([]);
  });

  it.each(
    `pelmeni=пельмени borscht=борщ borsch=борщ matryoshka=матрешка balalaika=балалайка varenye=варенье bliny=блины gzhel=гжель
     khokhloma=хохлома hohloma=хохлома lyubov=любовь chai=чай shchi=щи medved=медведь yolka=елка mysh=мышь schastye=счастье semya=семья
     novyi=новый krasivyj=красивый detskiy=детский zhuravl=журавль rossiya=россия varenyky=вареники kyiv=київ hryvnia=гривня
     holubtsi=голубці rakia=ракия souvlaki=σουβλακι tzatziki=τζατζικι dolmades=ντολμαδεσ gyros=γυροσ kalimera=καλημερα
     bolshoi=большой malchik=мальчик пельмени=pelmeni матрешка=matryoshka борщ=borshch ежик=ezhik σουβλακι=souvlaki`
      .split(/\s+/)
      .map((pair) => pair.split('=') as [string, string]),
  )('in the letters of another script may be another one: %s is %s', (typed, word) => expect(transliterated(typed)).toContain(word));

  it.each([
    ['pelmeni', 'πελμενι πελμενη πελμαινι παιλμενι πελμενει πελμαινη παιλμενη παιλμαινι пелмени пельмени пелмені пельмені'],
    ['gzhel', 'γζχελ γζχαιλ γζηελ γκζχελ γζηαιλ γκζχαιλ γκζηελ γκζηαιλ гжел гзхел гжель гзхель гзгел гзгель гьжел гзьхел гжел гзгел гжель гзгель ґжел ґзгел ґжель ґзгель'],
    ['mysh', 'μυσχ μυση μισχ μιση μγσχ μγση мыш мысх мышь мысг мысхь миш мысьх мисх миш мисг мишь мисгь мисьг мисьгь'],
    ['semya', 'σεμυα σεμια σαιμυα σεμγα σαιμια σαιμγα семя семыа семья семиа семя семиа семья'],
    ['лук', 'luk luc louk louc'],
    ['матрешка', 'matreshka matreshca matryeshka matryeshca matryoshka matryoshca'],
    ['σουβλακι', 'souvlaki soyvlaki souvlaci soyvlaci soublaki soyblaki suvlaki soivlaki'],
    ['abc', 'αμπκ αβκ абц абк абць абьц абьк абьць абц абк абць абьц абьк абьць'],
    ['ab', ''],
  ])('has the most probable ways first: %s', (typed, words) => expect(transliterated(typed).join(' ')).toBe(words)); // prettier-ignore

  it('has no letter after a consonant that hardly any word has there, and no soft sign after a vowel', () => {
    const words = 'b v g d zh z k l m n p r s t f kh ts ch sh shch'.split(' ').flatMap((consonant) => ['e', 'i', 'y', 'yi', 'o', 'u'].map((vowel) => `${consonant}${vowel}mar`));
    const written = words.flatMap(transliterated);
    expect(written.length).toBeGreaterThan(1_000);
    expect(written.filter((word) => /^[бвгґджзклмнпрстфхцчшщ]ь?[эйї]|[аеєиіїоуыэюя]ь/.test(word))).toEqual([]);
  }); // prettier-ignore

  it('has few other ways to write it, whatever its length', () => {
    expect([24, 25].map((length) => transliterated('a'.repeat(length)).length)).toEqual([3, 0]);
    expect(transliterated('shchyachiyutsy'.repeat(2))).toEqual([]);
    expect(transliterated('shchyachiyutsyshchyachiy').length).toBeLessThanOrEqual(24);
  });
});

describe('an item is named', () => {
  it.each([
    ['#157', 157],
    ['#7', 7],
    [' #157\n', 157],
    ['?item=157', 157],
    ['https://example.com/?item=157', 157],
    ['example.com/a-b/?q=tea&item=157&x=1#top', 157],
    [' /?item=157# ', 157],
    ['#999999999999999', 999_999_999_999_999],
  ])('by its id or its address: %j', (prompt, id) => {
    expect([namedItem(prompt), possibleItem(prompt)]).toEqual([id, id]);
    expect(parse(prompt).item).toBe(id);
  });

  it.each([
    '', '#', '#0', '#01', '#1a', '#a1', '# 157', '#1000000000000000', '##157', 'item=157', '?item=', '?item=a', '?items=157', '#?item=157',
    '-example.com/?item=157', 'tea ?item=157', '?item=157 tea', '?item=157#a b', '?', '/#x?item=157', 'x#a?item=157',
    'a?b?item=157', '?item=157&q=blue tea',
  ])('neither by another text, nor by one of several words: %j', (prompt) => {
    expect([namedItem(prompt), possibleItem(prompt)]).toEqual([undefined, undefined]);
  }); // prettier-ignore

  it('perhaps by a number alone, which may also be a word', () => {
    expect([namedItem(' 157 '), possibleItem(' 157 '), possibleItem('157a')]).toEqual([undefined, 157, undefined]);
  });
});

describe('a prompt that is corrected', () => {
  const correct = (prompt: string, replacements: Record<string, string>): string =>
    replaceWords(prompt, NEWEST_RULES, new Map(Object.entries(replacements)));

  it('is as it is written but for the words that are replaced, however these are written', () => {
    expect(correct('“Lihgthouse  LIHGTHOUSE/boat 2lihgthouse!', { lihgthouse: 'lighthouse' })).toBe(
      '“lighthouse  lighthouse/boat 2lighthouse!',
    );
    expect(correct('Cafee\u0301 cafe\u0301e li\u00adgth', { cafee: 'coffee', ligth: 'light' })).toBe('coffee coffee light');
    expect(correct('tea/cafe\u0301e tea/li\u00adgth', { cafee: 'coffee', ligth: 'light' })).toBe('tea/coffee tea/light');
    expect(correct('lihgthouses', { lihgthouse: 'lighthouse' })).toBe('lihgthouses');
  });

  it('gets what was typed with another layout of the keyboard as a whole', () => {
    expect(correct('ntcnf k.,jdm', { 'k jdm': 'любовь' })).toBe('ntcnf любовь');
    expect(correct('c++ r2-d2 x', { 'c++': 'c#', 'r2-d2': 'r2d2' })).toBe('c# r2d2 x');
    expect(correct('ntcnf, ;bhfa', { ntcnf: 'теста', bhfa: 'жираф' })).toBe('теста, жираф');
  });

  it('gets adjacent words of a script without blanks as they are written, alone and among others', () => {
    const replacements = { 'กระ ตาย': 'กระต่าย', ນົກອ: 'ນົກ' };
    expect(correct('“กระตาย!', replacements)).toBe('“กระต่าย!');
    expect(correct('กระตายแมว แมวกระ\u200bตาย', replacements)).toBe('กระต่ายแมว แมวกระต่าย');
    expect(correct('teaกระตายtea แมว', replacements)).toBe('teaกระต่ายtea แมว');
  });
});

it('a word has only letters, or Latin ones among others', () => {
  expect(['été', 'e\u0301', 'नमस्ते', 'дом'].map(hasOnlyLetters)).toEqual([true, true, true, true]);
  expect(['', 'a1', '1a', 'a b', 'c+'].map(hasOnlyLetters)).toEqual([false, false, false, false, false]);
  expect(['a', 'дa', '1a', 'дом', '12'].map(isLatin)).toEqual([true, true, true, false, false]);
});
