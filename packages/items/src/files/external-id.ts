import type { Tx } from '@ugc/shared/postgres/postgres';

/** The external id of a row of `content c`. */
// Not the first row of a subquery in this order: PostgreSQL would look for it by reading all external ids.
export const EXTERNAL_ID = `(select (array_agg(e.external_id order by e.external_id))[1] from external_item e where e.content_id = c.content_id)`;

/** What the external ids of a database's own export begin with: the items of this database have them without a row. */
export async function ownPrefix({ query }: Pick<Tx, 'query'>): Promise<string> {
  const [row] = await query<{ databaseId: string }>('select database_id from index_control');
  return `ugc:${row?.databaseId ?? ''}/`;
}

/** @param prefix see `ownPrefix` */
export function externalIdOf({ externalId, contentId }: { externalId: string | null; contentId: number }, prefix: string): string {
  return externalId ?? `${prefix}${contentId}`;
}

/** @returns the id of the item of this database that `externalIdOf` has named so; undefined for other external ids */
export function ownContentId(externalId: string, prefix: string): number | undefined {
  const id = externalId.startsWith(prefix) ? externalId.slice(prefix.length) : '';
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}
