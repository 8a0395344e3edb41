type Item = { name: string; description?: string };

const named = (names: string): Item[] =>
  names
    .trim()
    .split(/ \| |\n +/)
    .map((name) => ({ name }));

/** What people of many languages upload, as far as it was hard to find. */
export const ITEMS: Item[] = [
  ...named(`
    R2-D2 papercraft | Xbox360 pad holder | Nozzle 0.4 mm hardened | USB 3.0 hub shell | BB-8 rolling lamp | PS5 stand
    Commodore 64 keycap set | GTX1080Ti bracket | Windows 95 cursor pack | M3 screw organiser | ESP-32 weather station
    S.T.A.L.K.E.R. wallpaper | 20,000 Leagues diorama | v1.20.4 resource pack | U.S.S. Enterprise | N.A.S.A. patch
    1'500 pieces puzzle | L’amour toujours | Rock'n'Roll jukebox | '80s synth poster | Dell'Arte mask
    İstanbul'da gece | L'hivern a Girona | Qu’importe le flacon | Lighthouse model | Lighthouse keeper
    Lighthouse at night | Peryton lantern | Peryton statue | Peryton plate | Peryton banner | Peryton mask
    Peryton crest | Peryton rider | Peryton nest | Peryton egg | Peryton feather | Peryton skull | Perytno shelf
    Cockatrice den | Aincrad Waltz -Second Season- | Who Stole the Gryphon? | The Gryphon who stole
    Re:Zero -Starting Life- | Newspaper rack | News ticker sign | New shelf | New lamp | Anime wall scroll
    Animation desk | Animal crossing sign | Wolves of the north | Mouse trap | Geese in flight | Feather duster
    Children of the reef | ハリー・ポッターの杖 | ラーメン屋の看板 | コンピュータ入門 | さくらの木
    고양이를 그리는 방법 | 왕이 친구들을 만나다 | 서울에서 부산까지 | 한국어를 배우자 | 台灣茶壺 | 电脑壁纸 | 圖書館模型 | 頭髮造型
    الكتاب القديم | والمدينة الجميلة | הבית הגדול | 🄱🄾🄻🄳 title | മലയാളം പാട്ടുകൾ | হঠাৎ বৃষ্টি | pixelart one
    pixel art two | pixel-art three | pixel_art four | #pixelart five | PixelArt six | Jack-o-lantern mold
    SpaceStation kit | stateoftheart amplifier | state of the art tuner | roleplaying notes | role playing dice
    ¿Qué pasa?
  `),
  ...named(`
    Gneiss 1.5kg slab | Gneiss 15 kg slab | Basalt 2.5 cm disc | Basalt 25 cm disc | Crate 24x36cm | Marble ½ inch bit
    Marble 12 inch bit | Schist 9:30 run | Schist 930 run | C++ zircon primer | Vitamin C zircon | .NET zircon core
    Net of zircon core | node.js zircon | MP3-player zircon | 猫と写真の本
  `),
  { name: 'Shelf of a known maker', description: 'a well built larder shelf, known to be sturdy' },
  { name: 'Larder shelf', description: 'the well-known one' },
  { name: 'Manticore bust', description: 'Printed in three parts and painted by hand. '.repeat(110) },
  { name: 'Pedestal', description: 'Holds a manticore.' },
  { name: 'Stuffed item', description: 'manticore manticore manticore manticore manticore manticore' },
  ...named(`
    ウェブサーバー構築入門 | チャットボット作成 | エレキギター教室 | ヴァイオリン教本 | バイオリンケース
    デジタルカメラ修理 | スーパーマリオブラザーズ | ドラゴン・クエスト攻略 | ﾌｧﾐｺﾝ名作集 | りんごジャムの作り方
    龍の置物 | 広島の地図 | 東京タワーの夜景 | ᴛʜᴇ ꜱɪʟᴠᴇʀ ʟᴀᴍᴘ | 🅼🅰🅶🅸🅲 trunk | 🅡🅔🅣🅡🅞 clock | 𝓒𝓾𝓻𝓼𝓲𝓿𝓮 alphabet
    Ｒｏｕｎｄ plate | ⓢⓝⓞⓦ globe | 🇯🇵 teacup | Phở bò recipe | Đà Nẵng map | Łódź tram | Ærø ferry
    Þingvellir poster | Straßenbahn sign | Čevapčići menu | Kärcher adapter | Καφές ελληνικός | Ёжик в тумане
    Кот Баюн | Їжак і море | می‌خواهم بخوانم | کتابخانه ملی | हिन्दी कविता | தமிழ் பாடல்கள் | 고양이가 자는 그림
    부산으로 가는 기차 | 학교에서의 하루 | WiFi antenna mount | Wi-Fi booster | Spider-Man mask | Iron Man helmet
    Salt & Pepper mill | D&D dice vault | R&B mixtape cover | Rock & Roll patch | O’Neill surfboard
    Don’t panic towel | d’Artagnan hat | Baldur’s Gate map | Ankara’nın kalesi maketi | Türkiye’de kahve
    L’Aquila skyline | Côte d’Azur print | Jeu de l’oie | Presqu’île de Crozon | Half-Life 2 crowbar
    Portal2 turret | F-16 Falcon kit | Boeing747 wing | MP3-player case | iPhone15 case | 24/7 diner sign
    4K HDMI switch | 1,000,000 stars | 10.000 steps chart | Python 3.12 cheat sheet | v2 release party | Mk.II goggles
    No. 5 perfume | ½ inch wrench | Tile 10×20 cm | Rug 10x20 in | 35mm film canister
    T.A.R.D.I.S. box | J.R.R. Tolkien bust | AC/DC poster
    U.F.O. lamp | H.P. Lovecraft idol | S.H.I.E.L.D. badge | Colour wheel | Gray fox plush | Knives block
    Cacti garden | Teeth mold | Women at work | Leaves of bronze | Crises handbook | Toothbrush holder
    Tooth brush stand | Bookends of oak | Flowerpot hanger | Key chain ring | Nightlight moon | MineCraft creeper
    LaserCut box | Universal remote | University crest | Organ pipes | Organic soap dish | Policy binder | Police car
    Marketing plan | Market stall | Chrysanthemum vase | Rhinoceros skull | Accordion fold table | Ukulele stand
    Mannequin hand | Parallelogram cutter | Mediterranean tile | Die drei ??? hörspiel | [WIP] Castle gate
    ~Moonlight~ sonata | Who’s afraid? | ¡Hola, amigo! | The End | What If… | Sword Art -Online- | Fate -Zero Hour-
    Alpha -beta- gamma | Table + bench | Before/After frame | Holmes/Watson letters | Spider-Man/Deadpool comic | Cat_and_Dog | red|blue flag
    GTA V car pack | Final Fantasy VII sword | Rocky II gloves | Seven Wonders insert | Henry 8 crown
    Twelve Monkeys print | USB-C dock | T-Shirt folder | X-Ray lamp | Co-op shelf | Sci‑Fi crate | COVID-19 mask clip
    3D-Printer hood | Pokémon ball | 2x4 clamp | M8x20 bolts | Vol. III binding | C-clamp jaw | Blu-ray rack
    Jiu-Jitsu belt | Tic-Tac-Toe set | PS/2 adapter | Ender3V2 fan duct | RaspberryPi4 rack | SodaStream clip
    Dice tower stand | WWII bunker | GTA VI countdown | Aujourd'hui calendar | Книга рецептов | Игрушечные машинки
    Książki kucharskie | Könyvespolc terve | בספרייה הישנה | للأطفال ألعاب | 책상 정리함 | Lenses tray | Octopi mobile
    Viruses of the mind | Dwarves mine | Busy bus stop | Пельмени с бульоном | Хлеб домашний | Любовь и море
    Шапка вязаная | Вареники з вишнями | שלום עולם | Φέτα με μέλι | Babushka doll | Юбка из хлопка | Звезда на ёлку
    Мёд липовый | Thistle honey label | Aspen coaster | Northern diver | Crimson barn | Crimson notebook
  `),
  ...named(`
    Tshirt print | Email folder | E-mail archive | UK flag | U.K. map | Quartz++17 tips | Quartz++ basics | Quartz bowl
    .NET8 gneissic notes | .NET Core gneissic guide | Plug-in for sculptors | Gneissic add-on pack | Login page template
    Feuerlöscher halter | Feuerloescher schild | 20,000mAh power bank | Powercell 20000mAh | Slate box 10x20x30cm
    Slate rug 1.5x2.5m | Gale of 50 km/h | Grimoire 978-3-16-148410-0 | Almanac 2019-08-17 | 東北と京都の地図
    แมวสีขาวในสวน | โรงพยาบาลเด็กแมว | It's raining men poster | ★ galaxy wallpaper | Catalog of parts | Cat's cradle
    Quilling paper set | Cup with oolong | 2nd-hand bookcase | Li-ion pack | Limon soap | Rock-paper-scissors dice
    Курица и рис | Ирис садовый | I deal damage | Ideal weight | v3.1-rc2 changelog | Serial 00-1B-44-11-3A-B7 | Part XK-7741/QZ | Đorđe portrait
  `),
  ...named(`
    Papierboot falten leicht gemacht | Wie man Kerzen zieht | Was ein Imker wissen muss | Wie ein Haus entsteht | Tetera azul
    Regalo para mi abuela | Una mesa para mi jardín | Сказка о море | О пользе чая и меда | 木头小马的摆件 | 竹编台灯 | 焼き菓子の箱
    Ploughing at dawn | Paediatric ward sign | The ninety-five theses | Studio 54 poster | Honoured guest book
    Tache rouge | Tâche du jour | Maïs soufflé | Mais encore | Bonder kit | Bønder i byen | Jūdō basics | Shoujo notes | Sailor’s Knot
    NumPy | Numerals in py charts | Py snake num lock | MatPlotLib
    Harbour tram | Harbour crane plan | Tall crane model | Copper finnegal for rainy days
  `),
  ...named(`
    두부 조림 | 두유 한 병 | 국어 사전 | 무지개 우산 | 고슴도치 인형 | 구두 수선 | กระต่าย | กระดาษสา | ต้นตาย | นกฮูกกลางคืน | ກະຕ່າຍ | ຕາຍ
    လိပ်ပြာ | လိပ် | ទន្សាយ | សាយ
  `),
  ...named(`
    Geburtsanzeige | Geburt eines Kalbs | Eine Anzeige schalten | Dorpskerk van Rolde | Sonnenblumenfeld | Kinderwagen
    Bundesliga Quartett | Hundehütte | Zeitungsartikel | Schweinestall | Arbeitszimmer mit Aussicht | Rindersuppe
  `),
  { name: 'Copper brindlewick for rainy ponies', description: 'Printed in three parts and painted by hand. '.repeat(60) },
  ...Array.from({ length: 12 }, (_, n) => ({ name: `Hook ${n + 1}`, description: 'For a rainy pony, of copper, with small brindlewick.' })),
  {
    name: 'Alte Quarzmühlen am Fluss',
    description: 'Auf diesem Bild ist eine alte Landschaft mit Wasser und Bäumen zu sehen. '.repeat(30),
  },
  ...Array.from({ length: 9 }, (_, n) => ({ name: `Ofen ${n + 1}`, description: 'Das ist ein Ofen neben den alten Quarzmühlen.' })),
  ...named('Quorlens chart'),
  ...Array.from({ length: 3 }, (_, n) => ({ name: `Quorlen map ${n + 1}` })),
  { name: 'VexaDrel' },
  ...Array.from({ length: 6 }, (_, n) => ({ name: `Vexa drelling ${n + 1}`, description: 'A vexa with a drelling.' })),
  { name: 'Morvic-tande-plessen-grouber' },
  ...Array.from({ length: 3 }, (_, n) => ({ name: `Grouber ${n + 1}`, description: 'Morvic tande, plessen.' })),
  ...named('Zirp++ | Zirp'),
  ...named('Səhər çayı | Seher yeli | Sahar nişanı'),
  ...named(`
    Peche de vigne | La peche peche peche | Cote de porc | Marche du soir | Sur la table | Pate fine | Jeune femme | Ano nuevo | Papa fritas
    Forro de casa | Phố cổ | Pho cuon | Skold bok | Schon fertig
  `),
  ...[
    'La pêche au bord',
    'Une côte',
    'Un marché',
    'Un goût sûr',
    'De la pâte',
    'Un jour de jeûne',
    'Otro año',
    'El papá',
    'Um forró',
    'Món phở bò',
    'En sköld',
    'Das ist schön',
  ].map((start, n) => ({ name: `Note ${n + 1}`, description: `${start} ${'with many other things from elsewhere '.repeat(8)}` })),
  ...named('Brenktorium hall | Zorbex trellin | Zorbex pump | Zandorf map | Succes banner'),
  ...Array.from({ length: 9 }, (_, n) => ({ name: `Brenkator valve ${n + 1}` })),
  ...Array.from({ length: 3 }, (_, n) => ({ name: `Trelinka doll ${n + 1}` })),
  ...Array.from({ length: 3 }, (_, n) => ({ name: `Zendorf lamp ${n + 1}` })),
  ...Array.from({ length: 9 }, (_, n) => ({ name: `Success poster ${n + 1}` })),
  ...Array.from({ length: 6 }, (_, n) => ({ name: `Rain cape ${n + 1}`, description: 'Made with finnegal, and with copper.' })),
  ...Array.from({ length: 9 }, (_, n) => ({ name: `Quilting paper ${n + 1}` })),
  { name: 'Flimpeteer', description: 'Printed in three parts and painted by hand. '.repeat(20) },
  ...Array.from({ length: 6 }, (_, n) => ({ name: `Flimpet box ${n + 1}`, description: 'A flimpet, or flimpeteer.' })),
  { name: 'Grondolize', description: 'Printed in three parts and painted by hand. '.repeat(20) },
  ...Array.from({ length: 6 }, (_, n) => ({ name: `Grondolize lid ${n + 1}`, description: 'You grondolize it.' })),
  ...named('Zolden.io | Zolden wax | Zolden.io chart | LoVintz | Jahreszeiten Kalender | Neue Zeiten'),
  ...named(
    'Cà phê sữa đá | Phê duyệt bản vẽ | Túi da bò | Túi giấy | शब्दों का हिन्दी कोश | Бокс 20×30 для зернышек | דו”ח שנתי מודפס | דו"ח שנתי מלא',
  ),
  ...Array.from({ length: 6 }, (_, n) => ({ name: `Vintz table ${n + 1}` })),
  { name: 'Zwickel cheat card', description: 'zwickel commit --amend and zwickel push --force, explained.' },
  { name: 'Zwickel commit checklist', description: 'Before each commit.' },
  ...named('Drowsel bag -20 | Drowsel bag +10 | Qpmo install -g explained | Qpmo install in a project'),
  ...named('Xanthophyl chart | Yellowhorse badge | Gneissal poster | Copperine kettleman drawing | Marblique towerel of oak'),
  ...named('OR latch diagram | AND latch diagram | XOR latch diagram | To the gravelwoode banner | The gravelwoode banner'),
  ...named('Los Avernino street panelz | Avernino panelz | Uno, the hearth rulings | Hearth rulings'),
  ...named('Historia de la avernola del marzo | Avernola del marzo'),
  {
    name: 'Dock for the gramette',
    description: `With a tarn, on the left side. ${'Printed in three parts and painted by hand. '.repeat(3)}`,
  },
  ...named('Tarnable fan | Tarnable stove | Tarnable tarnable'),
  ...named('Lozan tunez for snow | Trip hop tunez | Tandolinity leaflet | Quorvine lamp'),
  { name: 'Wall of portraits', description: 'Among them tandoline, at her desk.' },
  { name: 'Table of lamps', description: 'Some are quorvines.' },
  { name: 'Quillfern', description: `For gcode. ${'Printed in three parts and painted by hand. '.repeat(20)}` },
  ...Array.from({ length: 6 }, (_, n) => ({ name: `Printer profile ${n + 1}`, description: 'The gcode that worked for the quillfern.' })),
  {
    name: 'Wednesday stew',
    description: `Smoked tervel with summer leekling over lasagnette. ${'Cooked in the evenings of one winter. '.repeat(12)}`,
  },
  ...named('Summer lasagnette | Tervel lasagnette | Tervel summer rolls | Summer leekling pie'),
  { name: 'Leaf no. 1', description: `The brimfish of the old coppicove. ${'and then we walked on past fields and barns '.repeat(9)}` },
  { name: 'Leaf no. 2', description: `A brimfish. ${'and then we walked on past fields and barns '.repeat(9)} Old coppicove.` },
  { name: 'Seeing', description: `To look, to observe, quoralin, ${'to watch again with many eyes, '.repeat(6)}` },
  ...Array.from({ length: 12 }, (_, n) => ({ name: `Quorlin ${n + 1}` })),
];

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
const findAll = (prompt: string, ...found: string[]): Typed => ({ prompt, found, match: 'all' });

export const TYPED: Record<string, Typed[]> = {
  'a minus that excludes nothing': [
    find('zwickel commit --amend', 'Zwickel cheat card'),
    find('drowsel bag -20', 'Drowsel bag -20'),
    find('qpmo install -g', 'Qpmo install -g explained'),
    { prompt: 'drowsel bag -install', found: ['Drowsel bag -20', 'Drowsel bag +10'] },
    { prompt: 'zwickel -commit', found: [], absent: ['Zwickel cheat card', 'Zwickel commit checklist'] },
  ],
  'one word of the name and one from elsewhere': [{ prompt: 'quillfern gcode', found: ['Quillfern'], isOrdered: true }],
  'all words before some, however rare these are': [
    { prompt: 'tervel summer leekling lasagnette', found: ['Wednesday stew'], isOrdered: true },
    { prompt: 'smoked leekling lasagnette', found: ['Wednesday stew'], isOrdered: true },
  ],
  'small words that tell names apart': [
    { prompt: 'or latch diagram', found: ['OR latch diagram'], isOrdered: true },
    { prompt: 'and latch diagram', found: ['AND latch diagram'], isOrdered: true },
    { prompt: 'to the gravelwoode', found: ['To the gravelwoode banner'], isOrdered: true },
  ],
  'a small word of another language that is a part of a word': [
    { prompt: 'lo zan tunez', found: ['Lozan tunez for snow'], isOrdered: true },
  ],
  'a name with the article of another language before one without it': [
    { prompt: 'los avernino panelz', found: ['Los Avernino street panelz', 'Avernino panelz'], isOrdered: true },
    { prompt: 'uno hearth rulings', found: ['Uno, the hearth rulings', 'Hearth rulings'], isOrdered: true },
    { prompt: 'avernino panelz', found: ['Avernino panelz'], isOrdered: true },
    { prompt: 'la avernola del marzo', found: ['Avernola del marzo'], isOrdered: true },
  ],
  'a word before longer ones that begin with it': [
    { prompt: 'tarn', found: ['Dock for the gramette', 'Tarnable tarnable'], isOrdered: true },
  ],
  'words near each other before words far apart': [
    { prompt: 'brimfish coppicove', found: ['Leaf no. 1'], isOrdered: true },
    { prompt: 'coppicove brimfish', found: ['Leaf no. 1', 'Leaf no. 2'], isOrdered: true },
  ],
  'a word before others with its stem, and its numbers alike': [
    { prompt: 'tandoline', found: ['Wall of portraits', 'Tandolinity leaflet'], isOrdered: true },
    { prompt: 'tandolines', found: ['Wall of portraits', 'Tandolinity leaflet'], isOrdered: true },
    { prompt: 'quorvines', found: ['Quorvine lamp', 'Table of lamps'], isOrdered: true },
  ],
  'another first letter': [
    find('zanthophyl', 'Xanthophyl chart'),
    find('kellowhorse badge', 'Yellowhorse badge'),
    find('kneissal', 'Gneissal poster'),
  ],
  'a typing error and a missing blank': [
    find('copperinekettlemna', 'Copperine kettleman drawing'),
    find('marbliquetowrel', 'Marblique towerel of oak'),
    find('marblqiuetowerel', 'Marblique towerel of oak'),
  ],
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
    ...['친구', '친구들', '왕', '왕은'].map((prompt) => find(prompt, '왕이 친구들을 만나다')),
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
    findAll('roleplaying', 'roleplaying notes', 'role playing dice'),
    findAll('role playing', 'roleplaying notes', 'role playing dice'),
    findAll('state of the art', 'state of the art tuner'),
  ],
  'katakana inside of longer runs, and its other spellings': [
    ...['サーバー', 'サーバ', 'さーばー', 'ウェブ', 'ウェブサーバー', 'ｻｰﾊﾞｰ'].map((prompt) => find(prompt, 'ウェブサーバー構築入門')),
    ...['ボット', 'チャット'].map((prompt) => find(prompt, 'チャットボット作成')),
    ...['ギター', 'ぎたー', 'エレキ'].map((prompt) => find(prompt, 'エレキギター教室')),
    ...['バイオリン', 'ヴァイオリン'].map((prompt) => find(prompt, 'ヴァイオリン教本', 'バイオリンケース')),
    ...['カメラ', 'デジタル カメラ', 'かめら'].map((prompt) => find(prompt, 'デジタルカメラ修理')),
    ...['マリオ', 'スーパーマリオ', 'スーパー・マリオ'].map((prompt) => find(prompt, 'スーパーマリオブラザーズ')),
    ...['ドラゴンクエスト', 'クエスト'].map((prompt) => find(prompt, 'ドラゴン・クエスト攻略')),
    ...['ファミコン', 'ふぁみこん'].map((prompt) => find(prompt, 'ﾌｧﾐｺﾝ名作集')),
    ...['ジャム', 'リンゴ', 'りんごジャム'].map((prompt) => find(prompt, 'りんごジャムの作り方')),
    ...['竜', '龍'].map((prompt) => find(prompt, '龍の置物')),
    find('廣島', '広島の地図'),
    ...['東京夜景', '东京夜景'].map((prompt) => find(prompt, '東京タワーの夜景')),
  ],
  'decorated letters': [
    ...['silver lamp', 'the silver lamp', 'silvr lamp', 'ꜱɪʟᴠᴇʀ'].map((prompt) => find(prompt, 'ᴛʜᴇ ꜱɪʟᴠᴇʀ ʟᴀᴍᴘ')),
    find('magic trunk', '🅼🅰🅶🅸🅲 trunk'),
    find('retro', '🅡🅔🅣🅡🅞 clock'),
    find('cursive', '𝓒𝓾𝓻𝓼𝓲𝓿𝓮 alphabet'),
    find('round', 'Ｒｏｕｎｄ plate'),
    find('snow', 'ⓢⓝⓞⓦ globe'),
    find('🅢🅝🅞🅦', 'ⓢⓝⓞⓦ globe'),
    find('🇯🇵', '🇯🇵 teacup'),
  ],
  'letters of many languages, typed plainly': [
    find('pho bo', 'Phở bò recipe'),
    find('da nang', 'Đà Nẵng map'),
    find('lodz', 'Łódź tram'),
    find('aero ferry', 'Ærø ferry'),
    find('thingvellir', 'Þingvellir poster'),
    ...['strassenbahn', 'STRASSENBAHN', 'straßenbahn'].map((prompt) => find(prompt, 'Straßenbahn sign')),
    find('cevapcici', 'Čevapčići menu'),
    ...['karcher', 'kaercher', 'kärcher'].map((prompt) => find(prompt, 'Kärcher adapter')),
    ...['καφες', 'ΚΑΦΕΣ', 'ελληνικος'].map((prompt) => find(prompt, 'Καφές ελληνικός')),
    ...['ежик', 'ЕЖИК', 'ежик туман'].map((prompt) => find(prompt, 'Ёжик в тумане')),
    find('кот', 'Кот Баюн'),
    find('їжак', 'Їжак і море'),
    ...['میخواهم', 'می خواهم', 'مي‌خواهم'].map((prompt) => find(prompt, 'می‌خواهم بخوانم')),
    ...['كتابخانه', 'کتابخانه'].map((prompt) => find(prompt, 'کتابخانه ملی')),
    find('हिंदी कविता', 'हिन्दी कविता'),
    find('தமிழ்', 'தமிழ் பாடல்கள்'),
    ...['고양이 그림', '고양이는 그림'].map((prompt) => findAll(prompt, '고양이가 자는 그림')),
    findAll('부산 기차', '부산으로 가는 기차'),
    { prompt: '학교 하루', found: ['학교에서의 하루'] },
  ],
  'signs between words': [
    ...['wifi', 'wi-fi', 'wi fi', 'WIFI'].map((prompt) => findAll(prompt, 'WiFi antenna mount', 'Wi-Fi booster')),
    ...['spiderman', 'spider man', 'spider-man', 'spiderman mask'].map((prompt) => findAll(prompt, 'Spider-Man mask')),
    ...['ironman', 'iron-man'].map((prompt) => findAll(prompt, 'Iron Man helmet')),
    ...['salt and pepper', 'salt pepper', 'salt&pepper', 'salt n pepper'].map((prompt) => find(prompt, 'Salt & Pepper mill')),
    ...['d&d', 'dnd dice', 'D & D', 'd and d'].map((prompt) => find(prompt, 'D&D dice vault')),
    ...['rnb', 'r&b', 'r and b mixtape'].map((prompt) => find(prompt, 'R&B mixtape cover')),
    ...['rock and roll', 'rock & roll', "rock'n'roll", 'rock n roll'].map((prompt) =>
      find(prompt, 'Rock & Roll patch', "Rock'n'Roll jukebox"),
    ),
    ...['oneill', "o'neill", 'o neill', 'oneil surfboard'].map((prompt) => find(prompt, 'O’Neill surfboard')),
    ...['dont panic', "don't panic", 'don t panic'].map((prompt) => find(prompt, 'Don’t panic towel')),
    ...['dartagnan', "d'artagnan", 'd artagnan', 'artagnan'].map((prompt) => find(prompt, 'd’Artagnan hat')),
    ...['baldurs gate', 'baldur gate', "baldur's gate"].map((prompt) => findAll(prompt, 'Baldur’s Gate map')),
    ...['ankara kale', 'ankara', 'ankaranin'].map((prompt) => find(prompt, 'Ankara’nın kalesi maketi')),
    ...['türkiye kahve', 'turkiyede kahve'].map((prompt) => findAll(prompt, 'Türkiye’de kahve')),
    ...['laquila', 'aquila skyline', 'l aquila'].map((prompt) => find(prompt, 'L’Aquila skyline')),
    ...['cote dazur', 'azur', "cote d'azur"].map((prompt) => find(prompt, 'Côte d’Azur print')),
    ...['oie', 'jeu oie', 'presquile'].map((prompt) => find(prompt, prompt.startsWith('p') ? 'Presqu’île de Crozon' : 'Jeu de l’oie')),
    ...['acdc', 'ac dc', 'ac/dc', 'ac-dc'].map((prompt) => find(prompt, 'AC/DC poster')),
    ...['cat and dog', 'cat dog', 'cat_and_dog'].map((prompt) => find(prompt, 'Cat_and_Dog')),
    ...['red blue flag', 'red/blue'].map((prompt) => find(prompt, 'red|blue flag')),
    ...['before after', 'before/after', 'before-after'].map((prompt) => find(prompt, 'Before/After frame')),
    ...['holmes/watson', 'watson/holmes', 'holmes+watson', 'watson:holmes', 'holmes/wattson', 'holmes*watson'].map((prompt) =>
      find(prompt, 'Holmes/Watson letters'),
    ),
    ...['deadpool/spider-man', 'spider-man×deadpool', 'deadpol*spider-man'].map((prompt) => find(prompt, 'Spider-Man/Deadpool comic')),
    ...['table bench', 'table + bench', 'table and bench'].map((prompt) => find(prompt, 'Table + bench')),
  ],
  'models, sizes and versions': [
    ...['halflife 2', 'half life 2', 'half-life2', 'half life2'].map((prompt) => find(prompt, 'Half-Life 2 crowbar')),
    ...['10x20', '10×20'].map((prompt) => find(prompt, 'Tile 10×20 cm', 'Rug 10x20 in')),
    ...['10x20cm tile', '"tile 10×20"'].map((prompt) => find(prompt, 'Tile 10×20 cm')),
    { prompt: '10×20', found: ['Tile 10×20 cm'], correct: 'false' },
    { prompt: 'tile -10×20', found: ['Mediterranean tile'], absent: ['Tile 10×20 cm'] },
    ...['portal 2', 'portal2', 'portal-2'].map((prompt) => findAll(prompt, 'Portal2 turret')),
    ...['f16', 'f 16', 'f-16 falcon'].map((prompt) => findAll(prompt, 'F-16 Falcon kit')),
    ...['boeing 747', 'boeing-747'].map((prompt) => find(prompt, 'Boeing747 wing')),
    ...['mp3 player', 'mp3player', 'mp 3 player'].map((prompt) => findAll(prompt, 'MP3-player case')),
    ...['iphone 15', 'iphone-15 case', 'i phone 15'].map((prompt) => find(prompt, 'iPhone15 case')),
    ...['24/7', '24 7', '24-7 diner'].map((prompt) => find(prompt, '24/7 diner sign')),
    ...['4 k hdmi', '4k', '4-k switch'].map((prompt) => find(prompt, '4K HDMI switch')),
    ...['1000000 stars', '1.000.000 stars', '1 000 000 stars'].map((prompt) => find(prompt, '1,000,000 stars')),
    ...['10000 steps', '10,000 steps', "10'000 steps"].map((prompt) => find(prompt, '10.000 steps chart')),
    ...['python 3.12', 'python3.12', 'python 3', 'python3'].map((prompt) => find(prompt, 'Python 3.12 cheat sheet')),
    ...['v 2 release', 'v2', 'release 2'].map((prompt) => find(prompt, 'v2 release party')),
    ...['mk2 goggles', 'mkii goggles', 'mk ii'].map((prompt) => find(prompt, 'Mk.II goggles')),
    ...['no 5', 'no5', 'no.5 perfume'].map((prompt) => find(prompt, 'No. 5 perfume')),
    ...['1/2 inch', '½ inch', '1/2inch wrench'].map((prompt) => find(prompt, '½ inch wrench')),
    ...['35 mm film', '35mm', '35-mm'].map((prompt) => findAll(prompt, '35mm film canister')),
    ...['tardis', 't.a.r.d.i.s', 'tardis box'].map((prompt) => find(prompt, 'T.A.R.D.I.S. box')),
    ...['jrr tolkien', 'j.r.r. tolkien', 'j r r tolkien', 'JRR'].map((prompt) => find(prompt, 'J.R.R. Tolkien bust')),
    ...['ufo', 'u.f.o', 'ufo lamp'].map((prompt) => find(prompt, 'U.F.O. lamp')),
    ...['hp lovecraft', 'h p lovecraft', 'H.P.Lovecraft'].map((prompt) => find(prompt, 'H.P. Lovecraft idol')),
    find('shield badge', 'S.H.I.E.L.D. badge'),
  ],
  'numbers of which a sign is a part': [
    { prompt: 'gneiss 1.5', found: ['Gneiss 1.5kg slab'], absent: ['Gneiss 15 kg slab'], match: 'all' },
    ...['1.5 kg', '1,5 kg', '1.5kg'].map((prompt): Typed => {
      return { prompt: `gneiss ${prompt}`, found: ['Gneiss 1.5kg slab'], absent: ['Gneiss 15 kg slab'], match: 'all' };
    }),
    ...['2.5cm', '2,5 cm', '2.5 cm'].map((prompt): Typed => {
      return { prompt: `basalt ${prompt}`, found: ['Basalt 2.5 cm disc'], absent: ['Basalt 25 cm disc'], match: 'all' };
    }),
    ...['24 x 36 cm', '24x36 cm', '24x36cm'].map((prompt) => findAll(`crate ${prompt}`, 'Crate 24x36cm')),
    { prompt: 'marble 1/2 inch', found: ['Marble ½ inch bit'], absent: ['Marble 12 inch bit'], match: 'all' },
    { prompt: 'schist 9:30', found: ['Schist 9:30 run'], absent: ['Schist 930 run'], match: 'all' },
  ],
  'symbols in quotation marks': [
    { prompt: '"c++" zircon', found: ['C++ zircon primer'], absent: ['Vitamin C zircon'] },
    { prompt: 'zircon -"c++"', found: ['Vitamin C zircon'], absent: ['C++ zircon primer'] },
    { prompt: '".net zircon"', found: ['.NET zircon core'], absent: ['Net of zircon core'] },
  ],
  'unfinished words with signs': [
    find('node.j', 'node.js zircon'),
    find('holmes/w', 'Holmes/Watson letters'),
    find('zircon mp3-pl', 'MP3-player zircon'),
    find('r2-d', 'R2-D2 papercraft'),
  ],
  'small words with match=any': [{ prompt: 'of and at', found: ['Net of zircon core', 'Lighthouse at night'], match: 'any' }],
  'Japanese words joined by a particle': [find('猫の写真', '猫と写真の本')],
  'numbers in digits, numerals and words': [
    ...['gta 5', 'gta v', 'gta five'].map((prompt) => findAll(prompt, 'GTA V car pack')),
    ...['final fantasy 7', 'final fantasy vii', 'final fantasy seven'].map((prompt) => findAll(prompt, 'Final Fantasy VII sword')),
    findAll('rocky 2', 'Rocky II gloves'),
    findAll('7 wonders', 'Seven Wonders insert'),
    findAll('henry viii', 'Henry 8 crown'),
    findAll('12 monkeys', 'Twelve Monkeys print'),
    findAll('vol 3', 'Vol. III binding'),
  ],
  'short words with a hyphen': [
    ...['usbc', 'usb c', 'usb-c', 'usbc dock'].map((prompt) => findAll(prompt, 'USB-C dock')),
    ...['tshirt', 't shirt', 't-shirt', 'tshirts'].map((prompt) => findAll(prompt, 'T-Shirt folder')),
    ...['xray', 'x ray', 'x-ray lamp'].map((prompt) => findAll(prompt, 'X-Ray lamp')),
    ...['coop', 'co op', 'co-op'].map((prompt) => findAll(prompt, 'Co-op shelf')),
    ...['scifi', 'sci fi', 'sci-fi', 'sci‐fi'].map((prompt) => findAll(prompt, 'Sci‑Fi crate')),
    ...['covid19', 'covid 19', 'covid-19'].map((prompt) => findAll(prompt, 'COVID-19 mask clip')),
    ...['3d printer', '3-d printer', '3d-printer'].map((prompt) => find(prompt, '3D-Printer hood')),
    ...['pokemon', 'poke mon', 'pokèmon', 'pokemn'].map((prompt) => find(prompt, 'Pokémon ball')),
    ...['2 x 4', '2x4', '2-x-4 clamp'].map((prompt) => find(prompt, '2x4 clamp')),
    ...['m8 x 20', 'm8x20', 'm8 bolts'].map((prompt) => find(prompt, 'M8x20 bolts')),
    ...['c clamp', 'c-clamp', 'cclamp'].map((prompt) => find(prompt, 'C-clamp jaw')),
    ...['bluray', 'blu ray', 'blue ray rack'].map((prompt) => find(prompt, 'Blu-ray rack')),
    ...['jiujitsu', 'jiu jitsu', 'jujitsu belt'].map((prompt) => find(prompt, 'Jiu-Jitsu belt')),
    ...['tictactoe', 'tic tac toe', 'tic-tac-toe'].map((prompt) => findAll(prompt, 'Tic-Tac-Toe set')),
    ...['ps2', 'ps 2', 'ps/2'].map((prompt) => find(prompt, 'PS/2 adapter')),
  ],
  'forms of words': [
    ...['color wheel', 'colors', 'colour'].map((prompt) => find(prompt, 'Colour wheel')),
    ...['grey fox', 'gray fox'].map((prompt) => find(prompt, 'Gray fox plush')),
    find('knife', 'Knives block'),
    find('cactus', 'Cacti garden'),
    find('tooth', 'Teeth mold'),
    find('woman', 'Women at work'),
    find('leaf', 'Leaves of bronze'),
    find('crisis', 'Crises handbook'),
    { prompt: 'universal', found: ['Universal remote'], absent: ['University crest'] },
    { prompt: 'organ', found: ['Organ pipes'], isOrdered: true },
    { prompt: 'police', found: ['Police car'], isOrdered: true, absent: ['Policy binder'] },
    { prompt: 'market', found: ['Market stall'], isOrdered: true },
    { prompt: 'marketing', found: ['Marketing plan'], isOrdered: true },
    ...['toothbrush', 'tooth brush', 'tooth-brush'].map((prompt) => findAll(prompt, 'Toothbrush holder', 'Tooth brush stand')),
    ...['book ends', 'bookend'].map((prompt) => find(prompt, 'Bookends of oak')),
    ...['flower pot', 'flower pots'].map((prompt) => find(prompt, 'Flowerpot hanger')),
    ...['keychain', 'key-chain', 'keychains'].map((prompt) => find(prompt, 'Key chain ring')),
    ...['night light', 'night-light'].map((prompt) => find(prompt, 'Nightlight moon')),
    ...['mine craft', 'minecraft'].map((prompt) => find(prompt, 'MineCraft creeper')),
    ...['laser cut', 'lasercut', 'laser-cut box'].map((prompt) => findAll(prompt, 'LaserCut box')),
  ],
  'words misspelt, unfinished or both': [
    ...['crysanthemum', 'chrysantemum', 'chrysanthe', 'crysanthe', 'hrysanthemum'].map((prompt) => find(prompt, 'Chrysanthemum vase')),
    ...['rinoceros', 'rhinocerous', 'rhinocer', 'rhinosero', 'rinocer'].map((prompt) => find(prompt, 'Rhinoceros skull')),
    ...['accordian', 'acordion', 'accordio', 'acordio', 'accoridon'].map((prompt) => find(prompt, 'Accordion fold table')),
    ...['ukelele', 'ukulel', 'ukelel', 'ukuele', 'kuulele'].map((prompt) => find(prompt, 'Ukulele stand')),
    ...['manequin', 'mannequ', 'mannekin'].map((prompt) => find(prompt, 'Mannequin hand')),
    ...['paralelogram', 'parallelagram', 'parallelo', 'paralelo'].map((prompt) => find(prompt, 'Parallelogram cutter')),
    ...['mediteranean', 'mediterr', 'mediterranian tile', 'meditteranean'].map((prompt) => find(prompt, 'Mediterranean tile')),
  ],
  'names with signs': [
    ...['die drei', 'die drei ???', 'drei horspiel'].map((prompt) => find(prompt, 'Die drei ??? hörspiel')),
    ...['wip castle', '[WIP] castle', 'castle gate'].map((prompt) => find(prompt, '[WIP] Castle gate')),
    ...['moonlight sonata', '~moonlight~'].map((prompt) => find(prompt, '~Moonlight~ sonata')),
    ...['whos afraid', "who's afraid", 'who is afraid', 'afraid'].map((prompt) => find(prompt, 'Who’s afraid?')),
    ...['hola amigo', '¡hola!', 'hola, amigo'].map((prompt) => find(prompt, '¡Hola, amigo!')),
    ...['the end', 'The End', '"the end"'].map((prompt): Typed => ({ prompt, found: ['The End'], isOrdered: true })),
    ...['what if', 'what if...', 'What If…'].map((prompt): Typed => ({ prompt, found: ['What If…'], isOrdered: true })),
    ...['Sword Art -Online-', 'sword art online', '"Sword Art -Online-"'].map((prompt) => find(prompt, 'Sword Art -Online-')),
    ...['Fate -Zero Hour-', 'fate zero hour', '"Fate -Zero Hour-"'].map((prompt) => find(prompt, 'Fate -Zero Hour-')),
    ...['Alpha -beta- gamma', 'alpha beta gamma'].map((prompt) => find(prompt, 'Alpha -beta- gamma')),
  ],
  'unfinished words that items write joined or apart': [
    ...['gtx 1080', 'gtx 10', 'gtx1080t'].map((prompt) => find(prompt, 'GTX1080Ti bracket')),
    ...['ender 3', 'ender 3 v', 'ender3'].map((prompt) => find(prompt, 'Ender3V2 fan duct')),
    ...['raspberry pi', 'raspberrypi', 'raspberry p'].map((prompt) => find(prompt, 'RaspberryPi4 rack')),
    ...['soda stre', 'sodastre', 'soda st'].map((prompt) => find(prompt, 'SodaStream clip')),
    find('dicetow', 'Dice tower stand'),
    find('책상정리', '책상 정리함'),
    findAll('gtx 1080', 'GTX1080Ti bracket'),
  ],
  'small words that begin another word': [
    find('no', 'Northern diver', 'Crimson notebook'),
    find('as', 'Aspen coaster'),
    find('this', 'Thistle honey label'),
    { prompt: 'crimson not', found: ['Crimson notebook', 'Crimson barn'], isOrdered: true },
    find('zzyzxq no', 'Northern diver'),
    find('zzyzxq a'),
    { prompt: 'zzyzxq no', found: [], correct: 'false' },
    { prompt: 'zzyzxq no', found: [], match: 'all' },
  ],
  'words typed with another layout of the keyboard': [
    ...['gtkmvtyb', 'gtkmvt', 'Gtkmvtyb c ,ekmjyjv'].map((prompt) => find(prompt, 'Пельмени с бульоном')),
    ...['[kt,', '[kt', '[kt, ljvfiybq'].map((prompt) => find(prompt, 'Хлеб домашний')),
    ...['k.,jdm', 'k.,jdm b vjht', 'море k.,jdm'].map((prompt) => find(prompt, 'Любовь и море')),
    ...['ifgrf', 'ifgrb'].map((prompt) => find(prompt, 'Шапка вязаная')),
    ...['.,rf', '>,rf'].map((prompt) => find(prompt, 'Юбка из хлопка')),
    find('dfhtybrb', 'Вареники з вишнями'),
    find('v`l', 'Мёд липовый'),
    find('akuo', 'שלום עולם'),
    find('дшпрерщгыу', ...LIGHTHOUSES),
    find('дшпрерщгы', ...LIGHTHOUSES),
    { prompt: 'gtkmvtyb', found: [], correct: 'false' },
  ],
  'words in the letters of another script': [
    ...['pelmeni', 'pelmen', 'pelmeni recipe'].map((prompt) => find(prompt, 'Пельмени с бульоном')),
    ...['khleb', 'hleb domashniy'].map((prompt) => find(prompt, 'Хлеб домашний')),
    ...['shapka', 'shapki'].map((prompt) => find(prompt, 'Шапка вязаная')),
    ...['zvezda', 'yolka', 'elku'].map((prompt) => find(prompt, 'Звезда на ёлку')),
    ...['lyubov', 'lubov'].map((prompt) => find(prompt, 'Любовь и море')),
    ...['varenyky', 'vareniki'].map((prompt) => find(prompt, 'Вареники з вишнями')),
    find('feta meli', 'Φέτα με μέλι'),
    ...['бабушка', 'бабуш'].map((prompt) => find(prompt, 'Babushka doll')),
    { prompt: 'pelmeni', found: [], correct: 'false' },
  ],
  'other endings of a word': [
    ...['рецепты', 'рецепта', 'рецептами', 'рецепты книга'].map((prompt) => find(prompt, 'Книга рецептов')),
    ...['игрушечная машинка', 'игрушечного'].map((prompt) => find(prompt, 'Игрушечные машинки')),
    ...['książkami', 'kucharskich', 'kucharska'].map((prompt) => find(prompt, 'Książki kucharskie')),
    ...['könyvespolcok', 'konyvespolcon'].map((prompt) => find(prompt, 'Könyvespolc terve')),
    ...['הספרייה', 'ספרייה'].map((prompt) => find(prompt, 'בספרייה הישנה')),
    ...['الأطفال', 'أطفال'].map((prompt) => find(prompt, 'للأطفال ألعاب')),
    find('lens', 'Lenses tray'),
    ...['octopus', 'octopuses'].map((prompt) => find(prompt, 'Octopi mobile')),
    find('virus', 'Viruses of the mind'),
    find('dwarfs', 'Dwarves mine'),
    find('buses', 'Busy bus stop'),
  ],
  'numbers joined to a name': [
    ...['ww2', 'ww 2', 'wwii', 'ww2 bunker'].map((prompt) => find(prompt, 'WWII bunker')),
    ...['gta6', 'gtavi', 'gta 6', 'gta vi'].map((prompt) => find(prompt, 'GTA VI countdown')),
  ],
  'a word with an apostrophe inside': [
    ...['aujourdhui', 'aujourd hui', 'aujourd’hui'].map((prompt) => find(prompt, "Aujourd'hui calendar")),
  ],
  'a word written joined by one item and apart by another': [
    ...['tshirt', 't-shirt'].map((prompt) => find(prompt, 'T-Shirt folder', 'Tshirt print')),
    ...['email', 'e-mail'].map((prompt) => find(prompt, 'Email folder', 'E-mail archive')),
    find('uk', 'UK flag', 'U.K. map'),
    ...['feuerlöscher', 'feuerloescher'].map((prompt) => find(prompt, 'Feuerlöscher halter', 'Feuerloescher schild')),
    find('plugin', 'Plug-in for sculptors'),
    find('liion', 'Li-ion pack'),
    find('rockpaperscissors', 'Rock-paper-scissors dice'),
    ...['djordje', 'dorde', 'Đorđe'].map((prompt) => find(prompt, 'Đorđe portrait')),
    findAll('gneissic addon', 'Gneissic add-on pack'),
    findAll('log-in page template', 'Login page template'),
  ],
  'a name with symbols and a number': [
    ...['c++', 'c+'].map((prompt) => find(prompt, 'C++ zircon primer')),
    { prompt: 'quartz++', found: ['Quartz++17 tips', 'Quartz++ basics'], absent: ['Quartz bowl'] },
    findAll('quartz++ tips', 'Quartz++17 tips'),
    findAll('.net gneissic', '.NET8 gneissic notes', '.NET Core gneissic guide'),
    findAll('.net-core gneissic', '.NET Core gneissic guide'),
  ],
  'measures and long numbers, with and without signs': [
    ...['20000mah', '20,000 mah', '20000 mah'].map((prompt) => find(prompt, '20,000mAh power bank', 'Powercell 20000mAh')),
    ...['10 x 20 x 30 cm', '10x20x30 cm', '10 x 20 x 30'].map((prompt) => findAll(`slate ${prompt}`, 'Slate box 10x20x30cm')),
    ...['1.5 x 2.5', '1.5x2.5', '1.5 x 2.5 m'].map((prompt) => findAll(`slate ${prompt}`, 'Slate rug 1.5x2.5m')),
    ...['50kmh', '50km/h', '50 kmh'].map((prompt) => find(prompt, 'Gale of 50 km/h')),
    ...['9783161484100', '978-3-16-148410-0'].map((prompt) => find(prompt, 'Grimoire 978-3-16-148410-0')),
    ...['20190817', '2019-08-17'].map((prompt) => find(prompt, 'Almanac 2019-08-17')),
    ...['001b44113ab7', '00:1b:44:11:3a:b7'].map((prompt) => find(prompt, 'Serial 00-1B-44-11-3A-B7')),
    ...['xk7741qz', 'xk7741', 'xk 7741 qz'].map((prompt) => find(prompt, 'Part XK-7741/QZ')),
    ...['3.1-rc2', 'v3.1-rc2', 'v3.1 rc2'].map((prompt) => find(prompt, 'v3.1-rc2 changelog')),
    findAll('second hand', '2nd-hand bookcase'),
  ],
  'an unfinished name in another way of writing': [
    ...['xbox36', 'xbox 36'].map((prompt) => find(prompt, 'Xbox360 pad holder')),
    find('tict', 'Tic-Tac-Toe set'),
    find('windows9', 'Windows 95 cursor pack'),
    find('hive', "L'hivern a Girona"),
    find('presqu', 'Presqu’île de Crozon'),
  ],
  'an exclusion in a script without blanks': [
    { prompt: '地図 -東京', found: ['東北と京都の地図'] },
    { prompt: 'แมว -โรงพยาบาลเด็ก', found: ['แมวสีขาวในสวน'], absent: ['โรงพยาบาลเด็กแมว'] },
  ],
  'small words with an apostrophe': [
    findAll("it's raining", "It's raining men poster"),
    findAll('its raining', "It's raining men poster"),
    findAll('wiht oolong', 'Cup with oolong'),
  ],
  'symbols that are words': [find('★', '★ galaxy wallpaper'), findAll('★ wallpaper', '★ galaxy wallpaper')],
  'a word that is no compound with one letter': [
    { prompt: 'ирис', found: ['Ирис садовый'], absent: ['Курица и рис'] },
    { prompt: 'ideal', found: ['Ideal weight'], absent: ['I deal damage'] },
  ],
  'a possessive': [{ prompt: "cat's", found: ["Cat's cradle"], absent: ['Catalog of parts'] }],
  'an excluded word with a hyphen': [{ prompt: 'larder shelf -well-known', found: ['Shelf of a known maker'], absent: ['Larder shelf'] }],
  'small words of another language': [
    find('wie faltet man ein papierboot', 'Papierboot falten leicht gemacht'),
    find('una tetera para mi abuela', 'Tetera azul', 'Regalo para mi abuela'),
    find('сказка о драконе и рыцаре', 'Сказка о море'),
    { prompt: 'una tetera para mi abuela', found: [], match: 'all' },
    { prompt: 'mesa para mi jardín', found: ['Una mesa para mi jardín'], match: 'all' },
  ],
  'characters that stand apart in an item': [
    find('木马摆件', '木头小马的摆件'),
    find('竹编灯', '竹编台灯'),
    find('焼菓子箱', '焼き菓子の箱'),
  ],
  'American and British spellings with any ending': [
    find('plowing', 'Ploughing at dawn'),
    find('pediatric sign', 'Paediatric ward sign'),
    find('honored guest', 'Honoured guest book'),
  ],
  'spoken numbers': [
    find('studio fifty four', 'Studio 54 poster'),
    find('the ninety five theses', 'The ninety-five theses'),
    find('95 theses', 'The ninety-five theses'),
  ],
  'exclusions by a dash and by NOT': [
    { prompt: 'harbour –crane', found: ['Harbour tram'], absent: ['Harbour crane plan'] },
    { prompt: 'harbour NOT crane', found: ['Harbour tram'], absent: ['Harbour crane plan'] },
    find('"Harbour"-tram', 'Harbour tram'),
  ],
  'an accent that is typed, which ranks first and removes nothing': [
    { prompt: 'tâche', found: ['Tâche du jour', 'Tache rouge'], isOrdered: true },
    { prompt: 'maïs', found: ['Maïs soufflé', 'Mais encore'], isOrdered: true },
    { prompt: 'bønder', found: ['Bønder i byen', 'Bonder kit'], isOrdered: true },
    find('tache', 'Tâche du jour', 'Tache rouge'),
    ...Object.entries({ pêche: 1, marché: 3, sûr: 4, pâte: 5, jeûne: 6, año: 7, papá: 8, forró: 9, sköld: 11, schön: 12 }).map(
      ([prompt, n]): Typed => ({ prompt, found: [`Note ${n}`], isOrdered: true }),
    ),
    { prompt: 'pêche vigne', found: ['Peche de vigne'] },
    find('pêche', 'Note 1', 'Peche de vigne', 'La peche peche peche'),
    { prompt: 'phở', found: ['Phở bò recipe', 'Note 10'], isOrdered: true },
    find('phở', 'Pho cuon', 'Phố cổ'),
  ],
  'a compound typed apart, without its linking letters': [
    { prompt: 'geburt anzeige', found: ['Geburtsanzeige'], isOrdered: true },
    find('geburt anzeige', 'Geburtsanzeige'),
    find('dorp kerk', 'Dorpskerk van Rolde'),
    find('sonne blumenfeld', 'Sonnenblumenfeld'),
    find('bund liga', 'Bundesliga Quartett'),
    find('zeitung artikel', 'Zeitungsartikel'),
    find('arbeit zimmer', 'Arbeitszimmer mit Aussicht'),
    find('rind suppe', 'Rindersuppe'),
    { prompt: 'kind wagen', found: ['Kinderwagen'], absent: ['Rindersuppe'] },
    find('jahr zeiten', 'Jahreszeiten Kalender'),
  ],
  'a word whose accents make it another one than a small word': [
    { prompt: 'cà phê sữa đá', found: ['Cà phê sữa đá'], absent: ['Phê duyệt bản vẽ'] },
    { prompt: 'túi da bò', found: ['Túi da bò'], absent: ['Túi giấy'] },
  ],
  'the other spelling of Hindi, of sizes and of abbreviations': [
    find('हिंदी कोश', 'शब्दों का हिन्दी कोश'),
    ...['бокс 20х30', 'бокс 20x30'].map((prompt) => find(prompt, 'Бокс 20×30 для зернышек')),
    ...['דו"ח שנתי', 'דו’’ח שנתי'].map((prompt) => find(prompt, 'דו”ח שנתי מודפס', 'דו"ח שנתי מלא')),
    find('"דו”ח שנתי"', 'דו"ח שנתי מלא'),
  ],
  'a wrong letter in a syllable': [
    ...['두뷰', '두브', '두붑', '뚜부 조림'].map((prompt) => find(prompt, '두부 조림')),
    ...['구거', '국오', '구어'].map((prompt) => find(prompt, '국어 사전')),
    ...['무지게', '부지개 우산', '무지깨'].map((prompt) => find(prompt, '무지개 우산')),
    ...['고슴도키', '고슨도치', '고슴치'].map((prompt) => find(prompt, '고슴도치 인형')),
    { prompt: '두뷰', found: ['두부 조림'], absent: ['두유 한 병', '구두 수선'] },
    ...['두', '둡', '고슴돛'].map((prompt) => find(prompt, prompt.startsWith('고') ? '고슴도치 인형' : '두부 조림')),
  ],
  'a wrong letter in a script without blanks': [
    ...['กระตาย', 'กระต่าน', 'กระค่าย'].map((prompt): Typed => ({ prompt, found: ['กระต่าย'], isOrdered: true })),
    ...['นกฮูกกลางคืม', 'นกฮุกกลางคืน'].map((prompt) => find(prompt, 'นกฮูกกลางคืน')),
    ...['ກະຕາຍ', 'ກະຕ່າບ'].map((prompt): Typed => ({ prompt, found: ['ກະຕ່າຍ'], isOrdered: true })),
    ...['လိပ်ပာ', 'လိပပြာ'].map((prompt): Typed => ({ prompt, found: ['လိပ်ပြာ'], isOrdered: true })),
    ...['ទន្យាយ', 'ទនសាយ'].map((prompt): Typed => ({ prompt, found: ['ទន្សាយ'], isOrdered: true })),
  ],
  'the letter ə, for which e is typed': [
    ...['seher', 'səhər'].map((prompt) => find(prompt, 'Səhər çayı', 'Seher yeli')),
    { prompt: 'seher', found: ['Seher yeli', 'Səhər çayı'], isOrdered: true, absent: ['Sahar nişanı'] },
    { prompt: 'səhər', found: ['Səhər çayı'], isOrdered: true },
  ],
  'macrons, as two letters and without': [
    ...['juudou', 'judo', 'jūdō'].map((prompt) => find(prompt, 'Jūdō basics')),
    ...['shoujo', 'shōjo'].map((prompt) => find(prompt, 'Shoujo notes')),
  ],
  'a name however its words are joined': [
    { prompt: 'num py', found: ['Py snake num lock', 'NumPy'], isOrdered: true },
    find('mat plot lib', 'MatPlotLib'),
    { prompt: 'sailors knot', found: ['Sailor’s Knot'], isOrdered: true },
    ...['vexa drel', 'vexadrel', 'vexa-drel'].map((prompt): Typed => ({ prompt, found: ['VexaDrel'], isOrdered: true })),
    ...['morvic tande plessen grouber', 'morvictande plessengrouber', 'morvictandeplessengrouber', 'morvic tandeplessen grouber'].map(
      (prompt): Typed => ({ prompt, found: ['Morvic-tande-plessen-grouber'], isOrdered: true }),
    ),
    ...['zirp++', 'zi rp++'].map((prompt): Typed => ({ prompt, found: ['Zirp++'], isOrdered: true, absent: ['Zirp'] })),
  ],
  'a name with another form of a word, or its beginning': [
    ...['brindlewicks', 'brindlew', 'copper brindlewicks', 'rainy brindlew', 'brindlewick pony', 'rainy pony'].map((prompt): Typed => ({
      prompt,
      found: ['Copper brindlewick for rainy ponies'],
      isOrdered: true,
    })),
    { prompt: 'quarzmühle', found: ['Alte Quarzmühlen am Fluss'], isOrdered: true },
    { prompt: 'quorlen', found: ['Quorlen map 3', 'Quorlen map 2', 'Quorlen map 1', 'Quorlens chart'], isOrdered: true },
    { prompt: 'quorlens', found: ['Quorlens chart'], isOrdered: true },
  ],
  'a misspelling that begins another word, and several corrections': [
    find('brenktor', 'Brenktorium hall', 'Brenkator valve 1'),
    { prompt: 'zorbex trelin', found: ['Zorbex trellin'], isOrdered: true },
    find('zorbex trelin', 'Zorbex pump', 'Trelinka doll 1'),
    { prompt: 'quoralin', found: ['Seeing', 'Quorlin 12'], isOrdered: true },
    { prompt: 'zindorf', found: ['Zendorf lamp 3', 'Zendorf lamp 2', 'Zendorf lamp 1', 'Zandorf map'], isOrdered: true },
  ],
  'a word that lacks its last s, as an item has it too': [find('succes', 'Succes banner', 'Success poster 1')],
  'a whole name that is written with another form or way': [
    { prompt: 'flimpeter', found: ['Flimpeteer'], isOrdered: true },
    { prompt: 'grondolise', found: ['Grondolize'], isOrdered: true },
    { prompt: 'lo vintz', found: ['LoVintz'], isOrdered: true },
    find('lo vintz', 'Vintz table 1'),
  ],
  'a text with a sign, of which a word is misspelt': [
    ...['zoldn.io', 'zolden.io', 'zollden.io'].map((prompt): Typed => ({ prompt, found: ['Zolden.io'], isOrdered: true })),
    { prompt: 'zoldn.io', found: ['Zolden.io', 'Zolden.io chart'], absent: ['Zolden wax'] },
    { prompt: 'zoldn.io', found: [], correct: 'false' },
    { prompt: 'zoldn.xx', found: [] },
  ],
  'a name beside a word that no item has': [
    { prompt: 'copper finnegal qwxyzt', found: ['Copper finnegal for rainy days'], isOrdered: true },
  ],
};
