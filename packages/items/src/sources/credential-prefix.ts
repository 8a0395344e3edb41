import type { Database } from '@ugc/shared/postgres/postgres';
import { WrongMap } from './wrong-map.ts';

/** No credential that begins with a prefix sorts after it with this text. */
const END = '\u{10ffff}';
/** What `npx pnpm users add` gives its users. */
const LOCAL = 'local';

/**
 * A file of strangers must not say whose items its rows are, among those who sign in here.
 * @param prefix what stands before the first | of the credentials that a map makes @param issuer JWT_ISSUER, if it is set
 * @throws WrongMap if real accounts have credentials with the prefix
 */
export async function requireForeignPrefix(
  database: Pick<Database, 'query'>,
  { name, prefix, issuer }: { name: string; prefix: string | undefined; issuer: string | undefined },
): Promise<void> {
  if (prefix === undefined) return;
  const isReal = prefix === issuer || prefix === LOCAL || (await hasSignedIn(database, prefix));
  if (!isReal) return;
  const detail = `must not begin with ${prefix}|, as the accounts of users who sign in here do: name the place where the items are from, such as "old-site|{author}"`;
  throw new WrongMap(name, [{ path: 'creator.credential', detail }]);
}

/** Whether a token has named a user with the prefix. */
async function hasSignedIn({ query }: Pick<Database, 'query'>, prefix: string): Promise<boolean> {
  const rows = await query(
    `select from users where credential collate "C" >= $1 and credential collate "C" < $2 and name_issued_at is not null limit 1`,
    [`${prefix}|`, `${prefix}|${END}`],
  );
  return rows.length > 0;
}
