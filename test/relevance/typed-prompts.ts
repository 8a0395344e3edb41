type Item = { name: string; description?: string };

/** What people of many languages upload, as far as it was hard to find. */
export const ITEMS: Item[] = [
  ...['R2-D2 papercraft', 'Xbox360 pad holder', 'Nozzle 0.4 mm hardened', 'USB 3.0 hub shell', 'BB-8 rolling lamp', 'PS5 stand'],
  ...['Commodore 64 keycap set', 'GTX1080Ti bracket', 'Windows 95 cursor pack', 'M3 screw organiser', 'ESP-32 weather station'],
  ...[
    'S.T.A.L.K.E.R. wallpaper',
    '20,000 Leagues diorama',
    'v1.20.4 resource pack',
    'U.S.S. Enterprise',
    'N.A.S.A. patch',
    "1'500 pieces puzzle",
  ],
  ...[
    'L’amour toujours',
    "Rock'n'Roll jukebox",
    "'80s synth poster",
    "Dell'Arte mask",
    "İstanbul'da gece",
    "L'hivern a Girona",
    'Qu’importe le flacon',
  ],
  ...[
    'Lighthouse model',
    'Lighthouse keeper',
    'Lighthouse at night',
    'Peryton lantern',
    'Peryton statue',
    'Peryton plate',
    'Peryton banner',
  ],
  ...['Peryton mask', 'Peryton crest', 'Peryton rider', 'Peryton nest', 'Peryton egg', 'Peryton feather', 'Peryton skull', 'Perytno shelf'],
  ...['Cockatrice den', 'Aincrad Waltz -Second Season-', 'Who Stole the Gryphon?', 'The Gryphon who stole', 'Re:Zero -Starting Life-'],
  ...['Newspaper rack', 'News ticker sign', 'New shelf', 'New lamp', 'Anime wall scroll', 'Animation desk', 'Animal crossing sign'],
  ...['Wolves of the north', 'Mouse trap', 'Geese in flight', 'Feather duster', 'Children of the reef'],
  ...[
    'ハリー・ポッターの杖',
    'ラーメン屋の看板',
    'コンピュータ入門',
    'さくらの木',
    '고양이를 그리는 방법',
    '서울에서 부산까지',
    '한국어를 배우자',
  ],
  ...['台灣茶壺', '电脑壁纸', '圖書館模型', '頭髮造型', 'الكتاب القديم', 'والمدينة الجميلة', 'הבית הגדול', '🄱🄾🄻🄳 title'],
  ...['മലയാളം പാട്ടുകൾ', 'হঠাৎ বৃষ্টি'],
  ...['pixelart one', 'pixel art two', 'pixel-art three', 'pixel_art four', '#pixelart five', 'PixelArt six'],
  ...[
    'Jack-o-lantern mold',
    'SpaceStation kit',
    'stateoftheart amplifier',
    'state of the art tuner',
    'roleplaying notes',
    'role playing dice',
  ],
  '¿Qué pasa?',
].map((name) => ({ name }));

ITEMS.push(
  { name: 'Shelf of a known maker', description: 'a well built larder shelf, known to be sturdy' },
  { name: 'Larder shelf', description: 'the well-known one' },
  { name: 'Manticore bust', description: 'Printed in three parts and painted by hand. '.repeat(110) },
  { name: 'Pedestal', description: 'Holds a manticore.' },
  { name: 'Stuffed item', description: 'manticore manticore manticore manticore manticore manticore' },
);

/** `found`: in this order if `isOrdered`. `absent`: must not be found. */
export type Typed = {
  prompt: string;
  found: string[];
  isOrdered?: true;
  absent?: string[];
  match?: 'any' | 'most' | 'all';
  correct?: 'false';
};

const PIXEL_ART = ['pixelart one', 'pixel art two', 'pixel-art three', 'pixel_art four', '#pixelart five', 'PixelArt six'];
const LIGHTHOUSES = ['Lighthouse model', 'Lighthouse keeper', 'Lighthouse at night'];

const find = (prompt: string, ...found: string[]): Typed => ({ prompt, found });

export const TYPED: Record<string, Typed[]> = {
  'letters and digits, with and without blank, hyphen and dot': [
    ...['r2d2', 'r2 d2', 'r2-d2', 'R2D2 paper'].map((prompt) => find(prompt, 'R2-D2 papercraft')),
    ...['xbox 360', 'xbox-360', 'xbox360', 'x-box 360'].map((prompt) => find(prompt, 'Xbox360 pad holder')),
    ...['0.4mm nozzle', '0.4 mm nozzle', 'nozzle 0.4mm'].map((prompt) => find(prompt, 'Nozzle 0.4 mm hardened')),
    ...['usb3 hub', 'usb 3 hub', 'usb3.0 hub'].map((prompt) => find(prompt, 'USB 3.0 hub shell')),
    ...['bb8 lamp', 'bb 8'].map((prompt) => find(prompt, 'BB-8 rolling lamp')),
    ...['ps 5 stand', 'ps-5'].map((prompt) => find(prompt, 'PS5 stand')),
    ...['commodore64', 'commodore-64'].map((prompt) => find(prompt, 'Commodore 64 keycap set')),
    ...['gtx 1080 ti', 'gtx1080'].map((prompt) => find(prompt, 'GTX1080Ti bracket')),
    ...['windows95', 'esp32', 'esp 32'].map((prompt) =>
      find(prompt, prompt.startsWith('w') ? 'Windows 95 cursor pack' : 'ESP-32 weather station'),
    ),
    find('m3 screw', 'M3 screw organiser'),
    find('m 3 screw', 'M3 screw organiser'),
  ],
  'acronyms, grouped numbers and versions': [
    ...['stalker', 's.t.a.l.k.e.r', 'S.T.A.L.K.E.R.'].map((prompt) => find(prompt, 'S.T.A.L.K.E.R. wallpaper')),
    ...['20000 leagues', '20,000 leagues', '20.000 leagues'].map((prompt) => find(prompt, '20,000 Leagues diorama')),
    ...['1.20.4', 'v1.20.4', '1.20'].map((prompt) => find(prompt, 'v1.20.4 resource pack')),
    find('uss enterprise', 'U.S.S. Enterprise'),
    find('nasa patch', 'N.A.S.A. patch'),
    find('1500 pieces', "1'500 pieces puzzle"),
  ],
  'apostrophes and what looks like them': [
    ...['amour', "l'amour", 'l`amour', 'l′amour', 'l amour'].map((prompt) => find(prompt, 'L’amour toujours')),
    ...['rock n roll', "rock 'n' roll", 'rock’n’roll'].map((prompt) => find(prompt, "Rock'n'Roll jukebox")),
    ...["80's synth", '80s synth', "'80s"].map((prompt) => find(prompt, "'80s synth poster")),
    find('arte mask', "Dell'Arte mask"),
    find('istanbul', "İstanbul'da gece"),
    find('hivern', "L'hivern a Girona"),
    find('importe flacon', 'Qu’importe le flacon'),
  ],
  'a word that no item has': [
    ...['lighthouse xyzzyq', 'xyzzyq lighthouse', 'lighthouse qwrtzu vbnmk'].map((prompt) => find(prompt, ...LIGHTHOUSES)),
    { prompt: 'lighthouse xyzzyq', found: [], match: 'all' },
    { prompt: 'lighthouse xyzzyq', found: [], correct: 'false' },
  ],
  'words that no item has together': [
    find('lighthouse jukebox', ...LIGHTHOUSES, "Rock'n'Roll jukebox"),
    { prompt: 'lighthouse jukebox', found: [], match: 'all' },
  ],
  'a misspelling that an item has too': [find('perytno lantern', 'Peryton lantern'), find('perytno', 'Perytno shelf', 'Peryton lantern')],
  'a word that is unfinished and misspelt': [
    find('lighthuo', ...LIGHTHOUSES),
    find('cokcatri', 'Cockatrice den'),
    find('gryhp', 'Who Stole the Gryphon?'),
  ],
  'a wrong first letter': [find('ilghthouse', ...LIGHTHOUSES), find('ighthouse', ...LIGHTHOUSES), find('ockatrice', 'Cockatrice den')],
  'a complete name with a minus': [
    find('Aincrad Waltz -Second Season-', 'Aincrad Waltz -Second Season-'),
    find('"Aincrad Waltz -Second Season-"', 'Aincrad Waltz -Second Season-'),
    find('Re:Zero -Starting Life-', 'Re:Zero -Starting Life-'),
  ],
  'a name without its punctuation and article': [
    { prompt: 'who stole the gryphon', found: ['Who Stole the Gryphon?'], isOrdered: true },
    { prompt: 'gryphon who stole', found: ['The Gryphon who stole'], isOrdered: true },
    { prompt: 'que pasa', found: ['¿Qué pasa?'], isOrdered: true },
  ],
  'words with the stem of others': [
    { prompt: 'news', found: ['News ticker sign'], isOrdered: true, absent: ['New shelf', 'New lamp'] },
    { prompt: 'anime', found: ['Anime wall scroll'], isOrdered: true, absent: ['Animation desk', 'Animal crossing sign'] },
    find('wolf', 'Wolves of the north'),
    find('mice', 'Mouse trap'),
    find('goose', 'Geese in flight'),
    find('child', 'Children of the reef'),
  ],
  'a name above a description, whatever its length': [{ prompt: 'manticore', found: ['Manticore bust'], isOrdered: true }],
  'katakana, hiragana and Hangul': [
    ...['ハリーポッター', 'ハリー・ポッター', 'ポッター', 'はりーぽったー'].map((prompt) => find(prompt, 'ハリー・ポッターの杖')),
    find('ラーメン', 'ラーメン屋の看板'),
    find('コンピューター', 'コンピュータ入門'),
    find('サクラ', 'さくらの木'),
    ...['고양이 방법', '고양이', '방법'].map((prompt) => find(prompt, '고양이를 그리는 방법')),
    find('서울 부산', '서울에서 부산까지'),
    find('한국어', '한국어를 배우자'),
  ],
  'other forms of letters': [
    find('كتاب', 'الكتاب القديم'),
    find('مدينة', 'والمدينة الجميلة'),
    find('בית', 'הבית הגדול'),
    find('bold', '🄱🄾🄻🄳 title'),
    find('പാട്ടുകള്\u200d', 'മലയാളം പാട്ടുകൾ'),
    find('হঠাত্\u200d', 'হঠাৎ বৃষ্টি'),
  ],
  'simplified and traditional Chinese': [
    find('台湾', '台灣茶壺'),
    find('電腦', '电脑壁纸'),
    find('图书馆', '圖書館模型'),
    find('头发', '頭髮造型'),
    find('臺灣', '台灣茶壺'),
  ],
  'words written together, apart and with case changes': [
    ...(['pixelart', 'pixel art', 'pixel-art', 'PixelArt', 'pixel_art'] as const).map((prompt): Typed => ({
      prompt,
      found: PIXEL_ART,
      match: 'all',
    })),
    find('jackolantern', 'Jack-o-lantern mold'),
    find('jack o lantern', 'Jack-o-lantern mold'),
    find('space station', 'SpaceStation kit'),
    find('station kit', 'SpaceStation kit'),
    { prompt: 'roleplaying', found: ['roleplaying notes', 'role playing dice'], match: 'all' },
    { prompt: 'role playing', found: ['roleplaying notes', 'role playing dice'], match: 'all' },
    { prompt: 'state of the art', found: ['state of the art tuner'], match: 'all' },
  ],
  'an excluded word with a hyphen': [{ prompt: 'larder shelf -well-known', found: ['Shelf of a known maker'], absent: ['Larder shelf'] }],
};
