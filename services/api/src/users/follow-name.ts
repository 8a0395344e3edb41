import type { Database } from '@ugc/shared/stores/postgres';

type TokenName = { userId: number; name: string; issuedAt: number };

/**
 * Gives a user the name of a token, unless a token that was issued later has given another one: tokens of several devices
 * are valid at the same time. The items are to be indexed again afterwards: see `FollowedNames`.
 * @returns whether the name has changed
 */
export async function followName(database: Database, { userId, name, issuedAt }: TokenName): Promise<boolean> {
  const renamed = await database.write(
    `with renamed as (
       update users set username = $2, name_issued_at = to_timestamp($3)
       where user_id = $1 and username <> $2 and (name_issued_at is null or name_issued_at < to_timestamp($3))
       returning user_id
     )
     insert into rename_progress (user_id) select user_id from renamed
     on conflict (user_id) do update set after_content_id = 0
     returning 1`,
    [userId, name, issuedAt],
  );
  return renamed.length > 0;
}
