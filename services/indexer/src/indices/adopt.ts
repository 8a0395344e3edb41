import { aliasOf } from '@ugc/shared/contracts/content-index';
import { inspectIndices } from '@ugc/shared/ownership/inspect-indices';
import { haveSameOrigin } from '@ugc/shared/contracts/database-identity';
import { takeOver } from './claim.ts';
import { changeIndices } from './rebuild.ts';
import type { IndexDeps } from './target-indices.ts';

/**
 * Makes this database the owner of every index with a name of its alias, also of those whose owner runs. Its indexers
 * then bring alias and list in order. @param onAdopted gets the names
 * @returns false if another process holds the index lock
 */
export function adoptIndices(deps: IndexDeps, onAdopted: (indexName: string) => void): Promise<boolean> {
  return changeIndices(deps, async (held) => {
    const { self, states } = await inspectIndices(held);
    const names = [...states.keys()].filter((name) => aliasOf(name) === held.alias);
    const judged = await held.ownership.judge(
      self,
      names.map((indexName) => ({ indexName })),
      states,
    );
    for (const indexName of names) {
      const state = states.get(indexName);
      const { owner, record } = judged.get(indexName) ?? {};
      if (!state || (owner && haveSameOrigin(owner, self))) continue;
      held.signal.throwIfAborted();
      await takeOver(held, self, { indexName, state, judged: { owner, record } });
      onAdopted(indexName);
    }
  });
}
