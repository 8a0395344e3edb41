import { describe, expect, it } from '@jest/globals';
import { foldedWords } from '@ugc/text/prompt/parse-prompt';
import { inflectionsOf, numbersOf } from '@ugc/text/prompt/inflections';
import { withCaseEndings } from '@ugc/text/ways/affixes';
import { isWithin } from '@ugc/text/ways/edits';
import { spokenNumber, writtenNumber } from '@ugc/text/ways/english-forms';
import { splitsAtStopWords, splitsOfSingular, threePartsOf } from '@ugc/text/ways/parts';
import { waysOf } from '@ugc/text/ways/ways';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';

/** A word as it is typed, other ways to write it, and texts that are none. All are separated by blanks, the terms of a way by `_`. */
type Row = [typed: string, ways: string, others?: string];

function typedWays(typed: string): string[] {
  return foldedWords(typed, NEWEST_RULES).flatMap((word) => waysOf(word, NEWEST_RULES));
}

/** The character `_` is a blank, also in a prompt. */
function textsOf(texts: string): string[] {
  return texts.split(' ').map((text) => text.replaceAll('_', ' '));
}

describe.each<[string, Row[]]>([
  ['a word as two or three letters more', [
    ['dicetower', 'dice_tower', 'd_icetower dicetowe_r'],
    ['tshirt', 't_shirt', 's_hirt'],
    ['usbc', 'usb_c u_sbc', 'us_b_c'],
    ['plugin', 'plu_gin', 'plug_in'],
    ['xray', 'x_ray'],
    ['unix', 'uni_x'],
    ['typeb', 'type_b'],
    ['endings', 'e_ndings', 'e_di_gs'],
    ['the', 't_h_e', 't_he'],
    ['usb', 'u_s_b', 'us_b'],
    ['xrayж', 'xr_ayж', 'x_rayж'],
    ['नमस्ते', 'नम_स्ते'],
  ]],
  ['a plural as two words in the singular', [
    ['keychains', 'key_chain key_chains'],
    ['lights', 'li_ghts', 'li_ght'],
    ['endings', 'en_ding'],
    ['organise1', 'organise_1', 'organ_ise'],
    ['1decades', '1_decades', '1dec_ade'],
  ]],
  ['initials, spelled out', [
    ['stalker', 's_t_a_l_k_e_r'],
    ['tv', 't_v'],
    ['uk', 'u_k'],
    ['lighthouse', 'light_house', 'l_i_g_h_t_h_o_u_s_e'],
    ['american', 'a_m_e_r_i_c_a_n'],
    ['ii', '2', 'i_i'],
  ]],
  ['letters and digits, in all combinations', [
    ['r2d2', 'r2_d2 r_2_d_2 r2_d_2', 'rd22'],
    ['mp3', 'mp_3', 'm_p3'],
    ['h264', 'h_264'],
    ['r2-d2', 'r2d2 r_2_d_2', 'rd22'],
    ['a1b2c3', 'a_1_b_2_c_3', 'a1_b2_c3'],
    ['1r2-d2', '1r2d2', 'dii 1r_2_d_2'],
    ['അവന്1', 'അവന്_1', 'അവൻ1'],
    ['e20,000', 'e20000'],
  ]],
  ['measures', [
    ['24x36cm', '24_36_cm 24_x_36_cm 24x36_cm', '2436cm'],
    ['10×20', '10x20 10х20 10_x_20', '1020'],
    ['20х30', '20x30 20_30', '2030'],
    ['20x30см', '20х30см 20_30_см'],
    ['20x30', '20х30 20_30', '2030'],
    ['5хх', '5_хх', '5xx 5xх'],
    ['10×20s', '10_x20s 10x20s', '10_x_20'],
    ['10×20×30', '10x20x30'],
    ['x1x2', 'x_1_x_2', '1_2'],
    ['1x2x', '1_x_2_x', '1_2'],
    ['20000mah', "20_000_mah 20'000mah 20000_mah", '200_00mah'],
    ['2000mah', '2_000_mah'],
    ['500mah', '500_mah', '5_00mah'],
    ['50kmh', '50_km_h', '5_0kmh'],
    ['1dont', '1_don_t', "1don't"],
    ['1gtaiv', '1_gtaiv', '1_gta_iv'],
  ]],
  ['large numbers in groups', [
    ['20000', "20_000 20'000", '200_00'],
    ['1234567', "1_234_567 1'234'567"],
    ['20,000', "20000 20'000"],
    ['555-1234', '5551234'],
    ['1,000', "1000 1'000", '1_000_'],
    ['120,000', "120000 120'000", '_120_000'],
    ['20,000s', "20000s 20'000s"],
    ['20.000', '20000'],
    ['1,234,567', '1234567'],
  ]],
  ['versions', [
    ['v1.2', '1_2'],
    ['1.2', 'v1_2', '12'],
    ['1.2.3-beta', 'v1_2_3_beta'],
    ['v1.2.3.4', '1_2_3_4'],
    ['11.2', 'v11_2'],
    ['1.21', 'v1_21'],
    ['1.2-dev', 'v1_2_dev'],
    ['1.2.3-beta1', 'v1_2_3_beta1'],
    ['1.2.3-beta.1', 'v1_2_3_beta_1'],
    ['v1.2v1.2', 'v1_2_v_1_2', '1_2v1_2'],
  ]],
  ['Hebrew abbreviations with other signs', [
    ['דו"ח', "דו_ח דו'_ח", 'ד_וח'],
    ['ארה"ב', 'ארה_ב'],
  ]],
  ['nasals of India before their consonants', [
    ['हिन्दी', 'हिंदी'],
    ['हिंदी', 'हिन्दी', 'हिम्दी हिण्दी'],
    ['बन्दर', 'बंदर'],
    ['सम्बन्ध', 'संबंध'],
    ['संबंध', 'सम्बन्ध'],
    ['अङ्क', 'अंक'],
    ['पंजाब', 'पञ्जाब'],
    ['ठंडा', 'ठण्डा'],
    ['अन्न', 'अन_्न', 'अंन'],
    ['હિન્દી', 'હિંદી'],
    ['বাঙ্গালী', 'বাংগালী'],
    ['হিন্দি', 'হি_ন্দি', 'হিংদি'],
    ['সংসার', 'সং_সার', 'সঙ্সার'],
  ]],
  ['decades', [["1990's", '1990s'], ["80's", '80s']]],
  ['elisions before a vowel or h', [
    ['eau', "l'eau d'eau"],
    ['homme', "l'homme qu'homme"],
    ['acqua', "dell'acqua un'acqua all'acqua"],
    ['maison', 'ma_ison', "l'maison"],
    ['usb', "l'usb"],
    ['other', "l'other"],
    ['izes', "l'izes"],
    ['yvelines', "d'yvelines"],
    ['organise1', 'organise_1', "l'organise1"],
  ]],
  ['numbers in words', [
    ['54', 'fifty_four', 'fifty'],
    ['21', 'twenty_one'],
    ['90', 'ninety'],
    ['fifty', '50'],
  ]],
  ['an apostrophe that is omitted', [
    ["don't", 'dont'],
    ['dont', "don't"],
    ['isnt', "isn't"],
    ['tent', "ten't", "t'ent"],
    ['damour', "d'amour"],
    ['oneill', "o'neill"],
    ['dog', 'd_o_g', "d'og"],
    ["o'neill", 'oneill'],
    ['other', "o'ther"],
    ['letters', "l'etters"],
    ['golden', 'go_lden', "g'olden"],
    ['organise1', 'organise_1', "o'rganise1"],
    ['oven', 'ov_en', "o'ven"],
    ['isnt1', 'isnt_1', "isnt't"],
  ]],
  ['numbered names', [
    ['ww2', 'wwii ww_2 ww_ii'],
    ['gtaiv', 'gta4 gta_4 gta_iv'],
    ['wwii', 'ww2 ww_2'],
    ['ff10', 'ffx ff_x'],
    ['ffix', 'ff9 ff_9'],
    ['wwiii', 'ww3 ww_3', 'wwi2'],
    ['ffvi', 'ff6'],
    ['ffvii', 'ff7'],
    ['ffviii', 'ff8'],
    ['wii', 'w_ii'],
  ]],
  ['small numbers', [
    ['2', 'ii two'],
    ['two', '2 ii'],
    ['xx', '20 twenty'],
    ['2nd', 'second'],
    ['first', '1st'],
    ['v', '5 five'],
    ['x', '10 ten'],
    ['thirteen', '13'],
    ['1st', 'first'],
    ['3rd', 'third'],
    ['4th', 'fourth'],
  ]],
  ['two initials with an n between them', [['rnb', 'r_b'], ['dnd', 'd_d'], ['and', 'a_d', 'an_d'], ['kana', 'ka_na', 'ka_a']]],
  ['irregular verbs', [
    ['woven', 'weave weaves weaving wove'],
    ['tying', 'tie tied ties'],
    ['rewritten', 'rewrite rewrites rewriting rewrote'],
    ['sewn', 'sew sews sewing'],
    ['swim', 'swam swum', 'swimming'],
    ['buying', 'bought'],
    ['add', 'added adding'],
    ['erring', 'err'],
    ['rose', 'ro_se', 'rise rises'],
    ['saw', 's_a_w', 'see'],
  ]],
  ['irregular plurals and spellings', [
    ['children', 'child'],
    ['knife', 'knives'],
    ['colours', 'color colors'],
    ['colors', 'colour colours'],
    ['dially', 'dialy', 'diallly'],
    ['honored', 'honoured'],
    ['plowing', 'ploughing'],
    ['centred', 'centered'],
    ['traveler', 'traveller'],
    ['fuelled', 'fueled', 'fuelld'],
    ['marvelous', 'marvellous'],
    ['enrollment', 'enrolment'],
    ['paediatrician', 'pediatrician'],
    ['pediatrician', 'paediatrician'],
    ['subpaediatric', 'su_bpaediatric', 'pediatricric pediatric'],
    ['central', 'centeral'],
    ['fibrous', 'fiberous'],
    ['fibry', 'fibery'],
    ['centerly', 'centrely'],
    ['travelable', 'travellable'],
    ['traveling', 'travelling'],
    ['maneuvering', 'manoeuvring'],
    ['molding', 'moulding'],
    ['analysing', 'analyzing'],
    ['programs', 'programmes'],
    ['hello', 'he_llo', 'helo'],
    ['gray', 'grey greys'],
    ['paediatrician1', 'paediatrician_1', 'pediatrician1'],
  ]],
  ['plurals that the stemmer takes for other words', [
    ['lens', 'lenses'],
    ['lenses', 'lens'],
    ['viruses', 'virus'],
    ['gas', 'gases'],
    ['tennis', 'tennises', 'tenn'],
    ['british', 'br_itish', 'britishes'],
    ['assessors', 'assessorses', 'assesso'],
  ]],
  ['British and American endings', [
    ['organise', 'organize'],
    ['organizing', 'organising'],
    ['colonisation', 'colonization'],
    ['colonisations', 'colonizations'],
    ['organised', 'organized'],
    ['visualise', 'visualize', 'vizualise'],
    ['visualization', 'visualisation'],
    ['organizes', 'organises'],
    ['organiser', 'organizer'],
    ['organisers', 'organizers'],
    ['sizee', 'si_zee', 'sisee'],
    ['geyser', 'gey_ser', 'geyzer'],
    ['size', 'si_ze'],
  ]],
  ['Arabic articles and conjunctions', [['كتاب', 'الكتاب والكتاب'], ['الكتاب', 'كتاب وكتاب'], ['لا', 'ل_ا', 'اللا'], ['لالا', 'لا_لا', 'لا']]],
  ['Hebrew prefixes', [['ספר', 'הספר וספר'], ['הספר', 'ספר בספר'], ['בן', 'ב_ן', 'הבן'], ['הספ', 'ספ'], ['שלב', 'השלב', 'ב']]],
  ['Korean particles, by the sound before them', [
    ['책을', '책 책이', '책를'],
    ['책', '책을 책은 책으로', '책를 책는 책의'],
    ['학교', '학교를 학교는 학교의 학교에서 학교들', '학교을 학교은'],
    ['지도', '지도는 지도가', '지'],
    ['을', '을이', '이'],
  ]],
  ['final consonants of Bengali and Malayalam', [['ভবিষ্যৎ', 'ভবিষ্যত্'], ['അവൻ', 'അവന്'], ['അവന്', 'അവൻ']]],
  ['old kanji and those of names', [
    ['高田', '髙田'],
    ['髙田', '高田'],
    ['栁', '柳 桺'],
    ['餠', '餅'],
    ['長崎', '長﨑'],
    ['斉木', '斎木 齋木 齊木'],
    ['渡邉', '渡辺 渡邊'],
    ['三島', '三嶋'],
    ['横濵', '横浜'],
    ['竹笋', '竹筍'],
    ['年鑑', '年鑒'],
    ['東京', '东京', '東髙'],
  ]],
  ['katakana with small letters, and without a long vowel', [
    ['フィレット', 'フ_イ_レ_ッ_ト フ_ィ_レ_ツ_ト'],
    ['キヤメル', 'キ_ャ_メ_ル'],
    ['インタフェース', 'イ_ン_タ_ー_フ_ェ_ー_ス イ_ン_タ_フ_ェ_ス'],
    ['レーザープリンタ', 'レ_ー_ザ_プ_リ_ン_タ レ_ザ_プ_リ_ン_タ'],
    ['ウイスキー', 'ウ_ィ_ス_キ_ー ウ_ヰ_ス_キ_ー'],
    ['ウヰスキー', 'ウ_イ_ス_キ_ー ウ_ィ_ス_キ_ー'],
    ['イエスタデイ', 'ヰ_エ_ス_タ_デ_イ', 'ィ_エ_ス_タ_デ_イ'],
    ['ダイヤモンド', 'ダ_イ_ア_モ_ン_ド'],
    ['ダイアモンド', 'ダ_イ_ヤ_モ_ン_ド'],
    ['ビル', 'び_る', 'ビ_ー_ル'],
  ]],
  ['the other kana', [
    ['ねこ', 'ネ_コ ね_こ'],
    ['カメラ', 'か_め_ら カ_メ_ラ_ー'],
    ['ヴァイオリン', 'バ_イ_オ_リ_ン'],
    ['バイオリン', 'ヴ_ァ_イ_オ_リ_ン'],
    ['サーバー', 'サ_ー_バ さ_ー_ば_ー'],
    ['アイスコーヒー', 'ア_イ_ス_コ_ー_ヒ'],
  ]],
  ['simplified, traditional and Japanese characters', [
    ['台湾', '臺灣 台灣'],
    ['廣東', '广东 広東'],
    ['東京', '东京'],
    ['国', '國'],
    ['臺臺', '台台'],
  ]],
])('other ways to write a word are %s', (_what, rows) => {
  it.each(rows)('%s', (typed, ways, others = '') => {
    const written = typedWays(typed);
    expect(written).toEqual(expect.arrayContaining(textsOf(ways)));
    for (const other of textsOf(others)) expect(written).not.toContain(other);
  });
}); // prettier-ignore

describe('no other way to write a word', () => {
  it.each(['c++', '3/4', '🎉', 'к', '1', 'ea', 'ev', 'by', 'as', 'or', 'su', 'e책', '책e', '20,0001', '2000,000', '20,00020,000'])(
    'is known of %s',
    (typed) => expect(typedWays(typed)).toEqual([]),
  );

  it('is the word itself, its plain terms, or one that is listed before', () => {
    for (const typed of ['r2-d2', 'node.js', 'ねこ', 'two', 'tshirt']) {
      const ways = typedWays(typed);
      expect(new Set(ways).size).toBe(ways.length);
      expect(ways).not.toEqual(expect.arrayContaining([typed]));
    }
    expect(typedWays('node.js')).not.toContain('node js');
    expect(typedWays('1.5')).not.toContain('15');
  });

  it('is looked for in words of more than 24 letters, or with more than eight combinations of letters and digits', () => {
    expect(typedWays('x'.repeat(25))).toEqual([]);
    expect(typedWays('x'.repeat(24))).not.toEqual([]);
    expect(typedWays('a1b2c3d4e5').filter((way) => way.includes('1'))).toHaveLength(1);
  });

  it('is one of more than eight combinations of Chinese characters', () => {
    expect(typedWays('台台').length).toBeLessThanOrEqual(9);
  });
});

it('a word that no item has is also looked for as two words of which one is small, as that of a plural, and as three', () => {
  expect(splitsAtStopWords('plugin')).toEqual(['plug in']);
  expect(splitsOfSingular('keychains')).toContain('key chain');
  for (const singular of ['keychain', 'ascot']) expect(splitsOfSingular(singular)).toEqual([]);
  expect(threePartsOf('jackolantern')).toContain('jack o lantern');
  expect(threePartsOf('kkkkkk')).toEqual(['kk k kkk', 'kk kk kk', 'kk kkk k']);
  expect(threePartsOf('k'.repeat(18))).not.toEqual([]);
  expect(threePartsOf('k'.repeat(19))).toEqual([]);
});

it('a Turkish name is also looked for with its case endings', () => {
  expect(withCaseEndings('ankara')).toEqual(expect.arrayContaining(["ankara'da", "ankara'ya", "ankara'nin"]));
  expect(withCaseEndings('van')).toContain("van'da");
  for (const none of ['ab', 'москва', 'r2d2', 'ankara2', '2ankara']) expect(withCaseEndings(none)).toEqual([]);
});

it('each number from 21 to 99 of two words is also written in digits, and in words if it is in digits', () => {
  const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
  const units = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
  for (const [at, ten] of tens.entries()) {
    for (const [unit, one] of units.entries()) {
      expect(writtenNumber([ten, one])).toBe(`${at + 2}${unit + 1}`);
      expect(spokenNumber(`${at + 2}${unit + 1}`)).toBe(`${ten} ${one}`);
    }
  }
  for (const none of [['twenty', 'lamps'], ['lamps', 'one'], ['one', 'twenty']]) expect(writtenNumber(none)).toBeUndefined(); // prettier-ignore
  for (const none of ['50', '154', '541', '12']) expect(spokenNumber(none)).toBeUndefined();
});

it.each<[number, string, string]>([
  [0, 'cat', 'cat'],
  [1, 'cat', 'cats'],
  [1, 'cats', 'cat'],
  [1, 'cat', 'at'],
  [1, 'cat', 'cut'],
  [1, 'cat', 'act'],
  [1, 'cat', 'cta'],
  [1, 'ab', 'ba'],
  [2, 'abcd', 'badc'],
  [2, 'cat', 'catsy'],
  [2, 'ab', 'bc'],
  [2, 'abc', 'bca'],
  [2, 'abcdef', 'bcdefg'],
  [3, 'cat', 'dog'],
  [3, 'kitten', 'sitting'],
  [1, '😀a', 'a'],
  [2, '', 'ab'],
])('%i errors of typing are between %s and %s, and no fewer', (edits, word, other) => {
  for (const [one, two] of [
    [word, other],
    [other, word],
  ] as const) {
    // prettier-ignore
    expect(isWithin(edits, one, two)).toBe(true);
    expect(isWithin(edits + 1, one, two)).toBe(true);
    if (edits > 0) expect(isWithin(edits - 1, one, two)).toBe(false);
  }
});

it.each([
  ['walk', 'walk walks walkes walked walking'],
  ['walked', 'walked walkeds walke walkes walks walkeing walking walk'],
  ['make', 'make makes makees maked makeed makeing making'],
  ['making', 'making makings makes maked make makees makeed makeing'],
  ['stop', 'stop stops stopped stopping'],
  ['stopped', 'stopped stoppeds stopping stop stops'],
  ['pony', 'pony ponys ponis ponies ponyed ponied ponying poniing'],
  ['ponies', 'ponies ponie ponis ponied ponieing poniing poni pony ponys ponyed ponying'],
  ['box', 'box boxs boxes boxed boxing'],
  ['offer', 'offer offers offeres offered offerred offering offerring'],
  ['agreed', 'agreed agreeds agree agrees agreeing'],
  ['eugene', 'eugene eugenes eugens eugened eugeneing eugening'],
  ['relative', 'relative relatives relativeing'],
  ['the', ''],
])('the inflections of %s are its own and possible ones with its stem, and no other word with this stem: %s', (word, forms) => {
  expect(inflectionsOf(word).join(' ')).toBe(forms);
});

it.each([
  ['port', 'port ports'],
  ['pony', 'pony ponies'],
  ['box', 'box boxes'],
  ['taxi', 'taxi taxis'],
  ['danc', 'danc dancs'],
])('the inflections of %s that are its numbers: %s', (word, numbers) => expect(numbersOf(word).join(' ')).toBe(numbers));

it.each('jab nod big trek cancel hum run stop offer bat'.split(' '))(
  'the inflections of %s double its last letter, as in "stopped"',
  (word) => {
    const doubled = `${word}${word.at(-1)}`;
    expect(inflectionsOf(word)).toEqual(expect.arrayContaining([`${doubled}ed`, `${doubled}ing`]));
  },
);

it('the inflections of a word with two vowels do not double its last letter, and those with y inside lose their e', () => {
  const doubled = 'rain seat lion soup suit'
    .split(' ')
    .flatMap((word) => inflectionsOf(word).filter((form) => /(.)\1(?:ed|ing)$/.test(form)));
  expect(doubled).toEqual([]);
  expect(inflectionsOf('cycle')).toContain('cycling');
});
