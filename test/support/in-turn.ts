import { INDEX_LOCK } from '@ugc/indexer/concrete-index';
import * as indices from '@ugc/indexer/rebuild';
import type { Database } from '@ugc/shared/postgres';
import { until } from './until.ts';

/** What changes indices, tried until it is its turn: the indexer looks after them every 2 s, and holds their lock for a moment then. */
export const ensureIndex = inTurn(indices.ensureIndex);
export const rebuildIndex = inTurn(indices.rebuildIndex);
export const rollBack = inTurn(indices.rollBack);
export const removeTarget = inTurn(indices.removeTarget);
/** Nobody else changes indices during `work`. */
export const holdingIndices = inTurn((database: Database, work: () => Promise<void>) => database.exclusively(INDEX_LOCK, work));

function inTurn<Given extends unknown[]>(work: (...given: Given) => Promise<boolean>): (...given: Given) => Promise<void> {
  return (...given) => until('it is its turn', () => work(...given));
}
