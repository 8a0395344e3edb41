import type { UnfittingField } from '../contracts/operations-status.ts';
import type { Query } from '../postgres/postgres.ts';

/** What `npx pnpm fields apply` has counted, in the order of the fields. Counting reads all items. */
export async function readUnfitting({ query }: { query: Query }): Promise<UnfittingField[]> {
  const rows = await query<{ field: string; items: number; countedAt: Date }>(
    `select name as field, unfitting as items, counted_at from declared_field
     where removed_at is null and unfitting > 0 order by position`,
  );
  return rows.map(({ field, items, countedAt }) => ({ field, items, countedAt: countedAt.toISOString() }));
}
