/**
 * The grades of the judged documents of one prompt: 2 is exactly what a person wants, 1 is also relevant. A document
 * without a grade is not relevant.
 */
export type Grades = ReadonlyMap<string, number>;

const NDCG_RANKS = 10;
const RECALL_RANKS = 20;
const RECIPROCAL_RANKS = 10;

/** trec_eval's `ndcg_cut.10`: the gain is the grade, and the ideal order contains all judged documents. */
export function ndcg(ranked: string[], grades: Grades): number {
  const gains = ranked.map((document) => grades.get(document) ?? 0);
  const ideal = [...grades.values()].toSorted((a, b) => b - a);
  return discountedGain(gains) / discountedGain(ideal);
}

function discountedGain(gains: number[]): number {
  return gains.slice(0, NDCG_RANKS).reduce((sum, gain, position) => sum + gain / Math.log2(position + 2), 0);
}

/** trec_eval's `recall.20`: the share of the relevant documents that are among the first 20. */
export function recall(ranked: string[], grades: Grades): number {
  const relevant = [...grades].filter(([, grade]) => grade > 0).map(([document]) => document);
  const first = new Set(ranked.slice(0, RECALL_RANKS));
  return relevant.filter((document) => first.has(document)).length / relevant.length;
}

/** 1 divided by the rank of the document, or 0 if it is not among the first 10. */
export function reciprocalRank(ranked: string[], document: string): number {
  const position = ranked.slice(0, RECIPROCAL_RANKS).indexOf(document);
  return position < 0 ? 0 : 1 / (position + 1);
}

export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
