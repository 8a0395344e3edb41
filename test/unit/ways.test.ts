import { describe, expect, it } from '@jest/globals';
import { foldedWords } from '@ugc/text/prompt/parse-prompt';
import { withCaseEndings } from '@ugc/text/ways/affixes';
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
  ]],
  ['a plural as two words in the singular', [
    ['keychains', 'key_chain key_chains'],
    ['lights', 'li_ghts', 'li_ght'],
  ]],
  ['initials, spelled out', [
    ['stalker', 's_t_a_l_k_e_r'],
    ['tv', 't_v'],
    ['uk', 'u_k'],
    ['lighthouse', 'light_house', 'l_i_g_h_t_h_o_u_s_e'],
  ]],
  ['letters and digits, in all combinations', [
    ['r2d2', 'r2_d2 r_2_d_2 r2_d_2', 'rd22'],
    ['mp3', 'mp_3', 'm_p3'],
    ['h264', 'h_264'],
    ['r2-d2', 'r2d2 r_2_d_2', 'rd22'],
    ['a1b2c3', 'a_1_b_2_c_3', 'a1_b2_c3'],
  ]],
  ['measures', [
    ['24x36cm', '24_36_cm 24_x_36_cm 24x36_cm', '2436cm'],
    ['10×20', '10x20 10_x_20', '1020'],
    ['20000mah', "20_000_mah 20'000mah 20000_mah", '200_00mah'],
    ['2000mah', '2_000_mah'],
    ['500mah', '500_mah', '5_00mah'],
    ['50kmh', '50_km_h', '5_0kmh'],
  ]],
  ['large numbers in groups', [
    ['20000', "20_000 20'000", '200_00'],
    ['1234567', "1_234_567 1'234'567"],
    ['20,000', "20000 20'000"],
    ['555-1234', '5551234'],
  ]],
  ['versions', [
    ['v1.2', '1_2'],
    ['1.2', 'v1_2', '12'],
    ['1.2.3-beta', 'v1_2_3_beta'],
    ['v1.2.3.4', '1_2_3_4'],
  ]],
  ['decades', [["1990's", '1990s'], ["80's", '80s']]],
  ['elisions before a vowel or h', [
    ['eau', "l'eau d'eau"],
    ['homme', "l'homme qu'homme"],
    ['acqua', "dell'acqua un'acqua all'acqua"],
    ['maison', 'ma_ison', "l'maison"],
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
  ]],
  ['numbered names', [
    ['ww2', 'wwii ww_2 ww_ii'],
    ['gtaiv', 'gta4 gta_4 gta_iv'],
    ['wwii', 'ww2 ww_2'],
    ['ff10', 'ffx ff_x'],
  ]],
  ['small numbers', [
    ['2', 'ii two'],
    ['two', '2 ii'],
    ['xx', '20 twenty'],
    ['2nd', 'second'],
    ['first', '1st'],
    ['v', '5 five'],
  ]],
  ['two initials with an n between them', [['rnb', 'r_b'], ['dnd', 'd_d'], ['and', 'a_d', 'an_d']]],
  ['irregular plurals and spellings', [
    ['children', 'child'],
    ['knife', 'knives'],
    ['colours', 'color colors'],
    ['honored', 'honoured'],
    ['plowing', 'ploughing'],
    ['centred', 'centered'],
    ['traveler', 'traveller'],
    ['fuelled', 'fueled', 'fuelld'],
    ['marvelous', 'marvellous'],
    ['enrollment', 'enrolment'],
    ['paediatrician', 'pediatrician'],
    ['maneuvering', 'manoeuvring'],
    ['molding', 'moulding'],
    ['analysing', 'analyzing'],
    ['programs', 'programmes'],
    ['hello', 'he_llo', 'helo'],
    ['gray', 'grey greys'],
  ]],
  ['plurals that the stemmer takes for other words', [
    ['lens', 'lenses'],
    ['lenses', 'lens'],
    ['viruses', 'virus'],
    ['gas', 'gases'],
    ['tennis', 'tennises', 'tenn'],
  ]],
  ['British and American endings', [
    ['organise', 'organize'],
    ['organizing', 'organising'],
    ['colonisation', 'colonization'],
    ['geyser', 'gey_ser', 'geyzer'],
    ['size', 'si_ze'],
  ]],
  ['Arabic articles and conjunctions', [['كتاب', 'الكتاب والكتاب'], ['الكتاب', 'كتاب وكتاب'], ['لا', 'ل_ا', 'اللا']]],
  ['Hebrew prefixes', [['ספר', 'הספר וספר'], ['הספר', 'ספר בספר'], ['בן', 'ב_ן', 'הבן']]],
  ['Korean particles, by the sound before them', [
    ['책을', '책 책이', '책를'],
    ['책', '책을 책은 책으로', '책를 책는 책의'],
    ['학교', '학교를 학교는 학교의 학교에서 학교들', '학교을 학교은'],
    ['지도', '지도는 지도가', '지'],
  ]],
  ['final consonants of Bengali and Malayalam', [['ভবিষ্যৎ', 'ভবিষ্যত্'], ['അവൻ', 'അവന്'], ['അവന്', 'അവൻ']]],
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
  it.each(['c++', '3/4', '🎉', 'к', '1', 'ea'])('is known of %s', (typed) => expect(typedWays(typed)).toEqual([]));

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

it('a Turkish name is also looked for with its case endings', () => {
  expect(withCaseEndings('ankara')).toEqual(expect.arrayContaining(["ankara'da", "ankara'ya", "ankara'nin"]));
  for (const none of ['ab', 'москва', 'r2d2']) expect(withCaseEndings(none)).toEqual([]);
});
