import { raiseRevisions } from '@ugc/shared/outbox/raise-revisions';
import { greatestVersion, readVersions } from './read-versions.ts';
import type { ConflictDeps } from './resolve-conflicts.ts';

type Difference = { contentId: number; difference: string };

/** Puts the items into the outbox with a revision that every target accepts. Documents without an item are deleted. */
export async function repairItems(deps: ConflictDeps, differences: Difference[]): Promise<void> {
  const contentIds = differences.map(({ contentId }) => contentId);
  const versions = await readVersions(deps, contentIds);
  const items = contentIds.map((contentId) => ({ contentId, version: greatestVersion(versions, contentId) }));
  const ahead = differences.filter(({ difference }) => difference === 'ahead').map(({ contentId }) => contentId);
  await raiseRevisions(deps.database, items, ahead.length);
  if (ahead.length > 0) deps.onAhead?.(ahead);
}
