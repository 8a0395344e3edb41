/**
 * Other forms of a word, such as its plural, by tables of endings. Each rule is `ENDING>REPLACEMENT`; the ending is a
 * regular expression for words that `foldText` has folded. Every rule that fits is applied. Irregular forms are rules as
 * well. Stemmers would unite words that mean different things, such as Italian `porta` and `porto`. English has no rules,
 * since the analyzer of the index stems it.
 */

/** The rules lead from an inflected form to the dictionary form. */
const TO_DICTIONARY_FORM = {
  ca: 's> os> es>a ns> ques>ca gues>ga ges>ja ces>ca ssos>s t?jos>ig',
  de: 'innen>in e> er> en> n> s> es> ern> em> sse>s en>um ien>ium ien>ion een>us (irm|em|ill)en>$1a',
  es: '([aeiou])s>$1 es> ces>z',
  fr: 's> x> aux>al aux>ail cieux>ciel yeux>oeil',
  he: 'ימ> ימ>ה יימ> ות> ות>ה ות>ת יות>ית יות>ות יות>ייה יה> י> בתימ>בית ערימ>עיר',
  it: `i>o i>e i>io i>a e>a chi>co chi>ca che>ca ghi>go ghi>ga ghe>ga ce>cia ge>gia uomini>uomo
    ^(labbr|ginocchi|bracci|cigli|lenzuol|uov|dit|oss)a>$1o`,
  nl: `'?s> en> eien>e ([bdfgklmnprst])\\1en>$1 (?<![aeiou])([aeou])([bdfgklmnprst])en>$1$1$2 zen>s ([aeou])zen>$1$1s ven>f
    ([aeou])ven>$1$1f eren> deren> mmeren>m heden>heid eden>id a>um steden>stad schepen>schip`,
  pt: '([aeiou])s>$1 ([rzsl])es>$1 [oa]es>ao ([aou])is>$1l eis>el eis>il is>il ns>m',
};

/** The rules lead to what all forms of a word share. It need not be a word. */
const TO_STEM = {
  ar: 'ات>ه ات> ون> ين> ان> تان>ه ^[وبكف]?ال(.+)>$1 ^[وبكف]?ال(.+)ات>$1ه ^[وبكف]?ال(.+)(?:ات|ون|ين)>$1',
  bg: `[аяоеиьй]> (?:та|то|те|ът|ят|ове|ите|ата|ето|ища)> ец>ц ци>к [ъо]к>к ен>н ета>о я(.)>е$1
    ъце>ъка дни>ден деца>дете очи>око уши>ухо хора>човек`,
  cs: `[aeyiou]> (?:ou|ami|ach|ech|um|em|im|ym|ov|ove|ovi|ich|ych|ia)> i?e([bcklnrst])>$1 c[ie]>k z[ie]>h um>om un>on uh>oh uz>oz ul>ol ih>eh ata>e ata>a
    lide>clovek deti>dite ps[iy]>pes (^[ds])n[iy]>$1en oci>oko usi>ucho`,
  da: `e> er> en> et> r> n> t> a> ene> erne> rne> ne> s> ([bdfgklmnprst])\\1(?:e|er|en|et|ene|erne)>$1 er>um traer>tre
    ([bdfgkmnpstv])l(?:e|er|ene)>$1el ([fgkmnpt])l(?:e|er|ene)>$1$1el ([bdfgkpst])r(?:e|ene)>$1er ([gkmt])r(?:e|ene)>$1$1er
    aetter>at aend(?:er)?>and etter>att enn(?:er)?>ann ender>and a?eder>ad odre>or a?edre>ar otre>atter o([jy])ne>o$1e aerne>e born>barn`,
  el: '(?:[αηοιυ]|εσ|ησ|οσ|ασ|οι|εισ|ου|ων|ια|ιο|ιων)> (?:αδεσ|ουδεσ|ουσ)> εσ>α εδεσ>εσ ουδεσ>ουσ ι[αο]>ι ιων>ι ατα>α ατα>ασ η>οσ',
  fi: `t> n> [kpt]([aeiouy])[tn]>$1 k([aeiouy])[tn]>kk$1 t([aeiouy])[tn]>tt$1 p([aeiouy])[tn]>pp$1 nn([aeiouy])[tn]>nt$1
    ng([aeiouy])[tn]>nk$1 mm([aeiouy])[tn]>mp$1 ll([aeiouy])[tn]>lt$1 rr([aeiouy])[tn]>rt$1 d([aeiouy])[tn]>t$1
    v([aeiouy])[tn]>p$1 v([uy])[tn]>k$1 ([aeiou])([aeiou])[tn]>$1k$2 ([aeiou])e[tn]>$1ki det>si det>ti e[tn]> e[tn]>i ee[tn]>e aet>aki se[tn]>nen kset>s iit>is mme[tn]>mpi nne[tn]>nsi
    lee[tn]>l ([kpt])\\1ee[tn]>$1e kee[tn]>e
    aa[tn]>as aa[tn]>at nkaa[tn]>ngas mpaa[tn]>mmas ([kpt])\\1aa[tn]>$1as ([uy])de[tn]>$1s ime[tn]>in iehe[tn]>ies oja>o oja>a ia>i
    (?:ss|st|ll|lt|n)a> lle> ksi> i?t?a> ien>`,
  hu: `k> [aeo]k> t> [aeo]t> (?:b[ae]n|n[ae]k|v[ae]l|b[oe]l|r[oe]l|t[oe]l|h[oe]z|r[ae]|b[ae])> ([bdfgklmnprstz])[ae]k>$1 rak>or
    ([bdfghjklmnprstvz])(ny|[klmrz])([aeou])[kt]>$1$3$2 v[ae][kt]> ava[kt]>o [aeo]n>`,
  pl: `[aeyiou]> (?:ow|ami|ach|om|em|owi|owie|iem|ej|ych|ymi|im|um)> ek>k iec>c ciec>c ies>s ien>n iona>ie eta>e ([^aeiouy])ie>$1 ce>k ce>ec o([dlrz])>$1 eb(?:y|ie|ow)>ab
    dzieci>dziecko ps(?:y|ow|a)>pies sny>sen oczy>oko uszy>ucho bracia>brat ludzie>czlowiek`,
  ro: `i> i>e i>a i>u ii> ii>u ii>il ii>ie e>u e> e>a uri> uri>u e>ea ele>ea ele>a oare>or oape>op oapte>opt o(r?[lrt])i>oa$1a oane>on ul> ul>u ului> ile> ile>i
    ere>ar e([nrst])[ei]>a$1a estre>eastra aste>asca aini>ana ai>al ee>eu zi>d zi>da ozi>oada ua>u ieti>iat
    inte>ant oasa>os oameni>om surori>sora`,
  ru: `[аяоеиыуюьй]> (?:ой|ей|ом|ем|ам|ям|ами|ями|ах|ях|ов|ев|ий|ый|ая|яя|ое|ее|ые|ие|ия|ию|ья|ого|его|ых|их)> ок> ек>к ец>ц ец>ьц
    ([бвгджзклмнпрстфхцчшщ])[ое]([бвгклмнр])>$1$2 сем>сьм ень>н ([дп])ни>$1ень гни>гонь ена>я (?:овья|ьев)> ери>ь ви>овь еса>о
    ([аеоу])и>$1й уши>ухо ята>енок ата>онок друзья>друг дети>ребенок люди>человек`,
  sh: '[aeiou]> (?:ovi|evi|ima|ama|om|em|ova|eva)> a([cks])>$1 ([^aeiou])a([^aeiou])a>$1$2 ci>k zi>g si>h ena>e emena>ijeme ao>l eo>el ad> oci>oko usi>uho djeca>dijete psi>pas cvijece>cvijet',
  sv: `ar> or> or>a er> en> n> et> t> r> na> arna> orna>a erna> s> e> a> lar>el rar>er ren>er nar>en mrar(?:na)?>mmar mlar>mmel ets> on>a er>um mla>mmal
    ([bdfgkpst])([lr])a>$1e$2 o(?:der|drar)>or ader>ar ttrar>tter oc?ker>ok ([dnt])\\1er>$1`,
  tr: '(?:l[ae]r)?(?:[iu]n?|[dt][ae]n?)?> s[iu]> y[ae]> n[iu]n> b[iu]n?>p g[iu]n?>k d[iu]n?>t ([bdfghkmnprsvyz])([lmnrz])([iu])n?>$1$3$2',
  uk: `[аяоеиіуюьй]> (?:ою|ею|ом|ем|ам|ям|ами|ями|ах|ях|ів|їв|ий|ій|ей|ої|ого|их|им)> ець>ц ець>ьц ень>н ель>л і(.|ст)ь?>о$1 і(.)ь?>е$1
    ([бвгджзклмнпрстфхцчшщ])[оеі]([бвгклмнр])>$1$2 зі>г ці>к сі>х ([дп])ні>$1ень гні>гонь ері>и ята>я ата>а є> [їюя]>й ка> діти>дитина`,
};

/** Related languages have one row: Czech and Slovak; Danish and Norwegian; Croatian, Serbian, Bosnian and Slovenian. */
export type Language = keyof typeof TO_DICTIONARY_FORM | keyof typeof TO_STEM;

const LATIN = /^[\p{sc=Latin}']+$/u;
const CYRILLIC = /^\p{sc=Cyrillic}+$/u;
/** What words consist of, where it is not only Latin letters. */
const LETTERS: Partial<Record<Language, RegExp>> = {
  ar: /^\p{sc=Arabic}+$/u,
  bg: CYRILLIC,
  el: /^\p{sc=Greek}+$/u,
  he: /^\p{sc=Hebrew}+$/u,
  ru: CYRILLIC,
  sh: new RegExp(`${LATIN.source}|${CYRILLIC.source}`, 'u'),
  uk: CYRILLIC,
};

type Rules = { language: Language; letters: RegExp; hasStems: boolean; rules: { ending: RegExp; replacement: string }[] };

const LANGUAGES = [...Object.entries(TO_DICTIONARY_FORM), ...Object.entries(TO_STEM)].map(([name, rules]): Rules => {
  const language = name as Language;
  return { language, letters: LETTERS[language] ?? LATIN, hasStems: language in TO_STEM, rules: rules.split(/\s+/).map(toRule) };
});

function toRule(rule: string): Rules['rules'][number] {
  const [, ending = '', replacement = ''] = /^(.*)>(.*)$/.exec(rule) ?? [];
  return { ending: new RegExp(`(?:${ending})$`, 'u'), replacement };
}

const MIN_FORM_LENGTH = 2;
const MIN_STEM_LENGTH = 3;

/**
 * @param languages of the item; all if undefined
 * @returns the keys under which an item with the folded word is found by its other forms
 */
export function itemFormKeys(word: string, languages?: readonly Language[]): string[] {
  const possible = LANGUAGES.filter(({ language, letters }) => (languages?.includes(language) ?? true) && letters.test(word));
  return possible.flatMap((rules) => {
    const { written, shorter } = formsIn(rules, word);
    return [`${rules.language}=${written}`, ...shorter.map((form) => `${rules.language}:${form}`)];
  });
}

/** @returns the languages that keys name, each once */
export function languagesOfKeys(keys: readonly string[]): Language[] {
  return LANGUAGES.map(({ language }) => language).filter((language) => keys.some((key) => /^\w+/.exec(key)?.[0] === language));
}

/** @returns the keys of the items, in any language, that contain another form of the folded word */
export function promptFormKeys(word: string): string[] {
  return LANGUAGES.filter(({ letters }) => letters.test(word)).flatMap((rules) => {
    const { language, hasStems } = rules;
    const { written, shorter } = formsIn(rules, word);
    const stems = hasStems ? shorter.filter(({ length }) => length >= MIN_STEM_LENGTH) : [];
    return [`${language}:${written}`, ...shorter.map((form) => `${language}=${form}`), ...stems.map((stem) => `${language}:${stem}`)];
  });
}

type Forms = { written: string; shorter: string[] };

/** Most words of a text are in many texts. */
const known = new Map<string, Forms>();
const MAX_KNOWN = 50_000;
const MAX_KNOWN_LENGTH = 24;

function formsIn(rules: Rules, word: string): Forms {
  const key = `${rules.language}:${word}`;
  const forms = known.get(key) ?? applyRules(rules, word);
  if (known.size === MAX_KNOWN) known.clear();
  if (word.length <= MAX_KNOWN_LENGTH) known.set(key, forms);
  return forms;
}

function applyRules({ language, rules }: Rules, word: string): Forms {
  const written = spelled(word, SPELLINGS[language]);
  const forms = rules.flatMap(({ ending, replacement }) => (ending.test(written) ? [written.replace(ending, replacement)] : []));
  return { written, shorter: [...new Set(forms)].filter((form) => form.length >= MIN_FORM_LENGTH && form !== written) };
}

/** Hebrew without final letters; Serbian in Latin letters, folded. */
const SPELLINGS: Partial<Record<Language, ReadonlyMap<string, string>>> = {
  he: pairs('ך=כ ם=מ ן=נ ף=פ ץ=צ'),
  sh: pairs('а=a б=b в=v г=g д=d ђ=d е=e ж=z з=z и=i ј=j к=k л=l љ=lj м=m н=n њ=nj о=o п=p р=r с=s т=t ћ=c у=u ф=f х=h ц=c ч=c џ=dz ш=s'),
};

function pairs(written: string): ReadonlyMap<string, string> {
  return new Map(written.split(' ').map((pair): [string, string] => [pair.slice(0, 1), pair.slice(2)]));
}

function spelled(word: string, spelling: ReadonlyMap<string, string> | undefined): string {
  return spelling ? Array.from(word, (letter) => spelling.get(letter) ?? letter).join('') : word;
}

// "München" is also written "Muenchen", "Søren" "Soeren", and "Đorđe" "Djordje". Folding makes "munchen" of the first only,
// since "ue" is no umlaut in most words, such as "blue". So an item with an umlaut has a key, by which two letters find it.

const WORDS = /[\p{L}\p{M}]+/gu;
const UMLAUT = /[äöüøåđ]/;
const AS_TWO_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', đ: 'dj' };

/** @returns the words of a text that have an umlaut, in lower case */
export function wordsWithUmlaut(text: string): string[] {
  const words: string[] = text.normalize('NFC').toLowerCase().match(WORDS) ?? [];
  return words.filter((word) => UMLAUT.test(word));
}

export function writeAsTwoLetters(word: string): string {
  return word.replace(/[äöüøåđ]/g, (letter) => AS_TWO_LETTERS[letter] ?? letter);
}

/** @param folded a word that is written with an umlaut */
export function umlautKey(folded: string): string {
  return `umlaut:${folded}`;
}

/** Two letters that may be one. */
const TWO_LETTERS = /[aou]e|aa|dj/g;
const MAX_UMLAUTS = 3;

/**
 * @returns the keys of items that write the folded word with umlauts: for each choice of its first pairs of letters, and
 *   for all pairs
 */
export function promptUmlautKeys(word: string): string[] {
  const pairs = Array.from(word.matchAll(TWO_LETTERS), ({ index }) => index).toReversed();
  const withUmlaut = (text: string, at: number): string => text.slice(0, at + 1) + text.slice(at + 2);
  const some = pairs.slice(-MAX_UMLAUTS).reduce((words, at) => words.flatMap((one) => [one, withUmlaut(one, at)]), [word]);
  return [...new Set([...some, pairs.reduce(withUmlaut, word)])].filter((one) => one !== word).map(umlautKey);
}
