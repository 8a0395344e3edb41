/**
 * Kanji that are written in several ways in names of people, places and goods, and which OpenCC does not have as simplified,
 * traditional, old and new ones alone. Most of them are variants of each other (`kSemanticVariant`) in Unicode's Unihan
 * database 14.0; the others are in Japanese family names, such as 濵 and 嶋.
 */
const GROUPS = [
  '高髙 崎﨑碕嵜 斎斉 辺邉 浜濵 島嶋嶌 桑桒 吉𠮷 富冨 橋槗 館舘 渕淵 峰峯 秋秌 梅楳 松枩 船舩 裏裡 煙烟 略畧 群羣 岳嶽 竜龍 曽曾 杯盃 涼凉',
  '笋筍 鶏雞 野埜 蘇蘓 柳栁桺 藪籔 槙槇 籠篭 昇曻 剣劔 荘庄 秘祕 翠翆 兎菟 婿壻 宝寳 真眞 沖冲 圭珪 頼賴 彦彥 晃晄 皐皋 園薗 柿柹 栃杤',
  '鑑鑒 歳嵗 留畱 畑畠 酢醋 碗椀 賛讃 填塡 叱𠮟 恵惠 焔焰 栄榮 瀬瀨 徳德 餅餠',
];

/** Each kanji, with the group that it belongs to. */
export const KANJI_VARIANTS: ReadonlyMap<string, string[]> = new Map(
  GROUPS.flatMap((line) => line.split(' ')).flatMap((group) => {
    const letters = [...group];
    return letters.map((letter): [string, string[]] => [letter, letters]);
  }),
);
