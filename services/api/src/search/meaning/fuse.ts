/**
 * A match in the order by words. `bonus` is the part of its score for its name; `cosine` is undefined for an item without
 * a vector. `factor`: by which the quality of the item multiplies its score, 1 unless the list is sorted by best.
 */
export type Match = { contentId: number; score: number; bonus: number; factor: number; cosine: number | undefined };

/** Measured on three judged collections: docs/decisions/0037-ranking-by-meaning.md. */
const MEANING_WEIGHT = 0.4;
/** The meaning counts less if there are fewer matches. */
const FULL_WEIGHT_MATCHES = 50;

/**
 * The order by words, meaning and quality. Items whose name is the prompt stay first; equal values keep the order by
 * words.
 * @returns the ids
 */
export function fuse(matches: Match[]): number[] {
  const weight = MEANING_WEIGHT * Math.min(1, matches.length / FULL_WEIGHT_MATCHES);
  const words = matches.map(({ score, bonus, factor }) => Math.max(score / factor - bonus, 0));
  const bestWords = Math.max(...words);
  const meaning = meaningOf(matches);
  const ranked = matches.map(({ contentId, bonus, factor }, at) => ({
    contentId,
    bonus,
    value: factor * ((1 - weight) * ratio(words[at] ?? 0, bestWords) + weight * (meaning[at] ?? 0)),
  }));
  return ranked.toSorted((one, other) => other.bonus - one.bonus || other.value - one.value).map(({ contentId }) => contentId);
}

/** From 0 for the least to 1 for the greatest cosine, whatever the scale of the model. */
function meaningOf(matches: Match[]): number[] {
  const known = matches.flatMap(({ cosine }) => cosine ?? []);
  const [least, greatest] = [Math.min(...known), Math.max(...known)];
  const mean = known.reduce((sum, cosine) => sum + cosine, 0) / known.length;
  return matches.map(({ cosine = mean }) => ratio(cosine - least, greatest - least));
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
