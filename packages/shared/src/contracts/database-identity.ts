import { z } from 'zod';
import type { Query } from '../postgres/postgres.ts';

/**
 * Which database this is. A copy has the same `id`; a dump that was restored elsewhere has another `system` (PostgreSQL's
 * system identifier) or `oid`, a running copy of the data folder another `address` (that of the server, as this connection
 * reaches it). `name` is for messages only.
 */
export const DatabaseIdentity = z.object({ id: z.string(), system: z.string(), oid: z.string(), address: z.string(), name: z.string() });
export type DatabaseIdentity = z.infer<typeof DatabaseIdentity>;

/** A statement can return the identity with its rows. The subquery is evaluated once, and not for each row. */
export const DATABASE_IDENTITY = '(select database_identity())';

export async function readIdentity({ query }: { query: Query }): Promise<DatabaseIdentity> {
  const [row] = await query<{ identity: unknown }>(`select ${DATABASE_IDENTITY} as identity`);
  return DatabaseIdentity.parse(row?.identity);
}

/** The two are the same database, or one is a copy of the other's data folder. */
export function haveSameOrigin(a: DatabaseIdentity, b: DatabaseIdentity): boolean {
  return a.id === b.id && a.system === b.system && a.oid === b.oid;
}

export function isSameDatabase(a: DatabaseIdentity, b: DatabaseIdentity): boolean {
  return haveSameOrigin(a, b) && a.address === b.address;
}

/** @returns for example `ugc at 10.0.0.5:5432 (system 7523411, oid 16384)` */
export function describeDatabase({ name, address, system, oid }: DatabaseIdentity): string {
  return `${name} at ${address === '' ? 'a local socket' : address} (system ${system || 'unknown'}, oid ${oid})`;
}
