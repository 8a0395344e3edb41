import { ERASURE_RECEIPT_DAYS } from '@ugc/shared/contracts/retention';
import type { Role } from '@ugc/shared/indices/targets';
import type { Database } from '@ugc/shared/postgres/postgres';

export type Remainder = { where: string; what: string; until: string; command?: string };

export type Receipt = {
  userId: number;
  erased: true;
  credentialSha256: string;
  startedAt: string;
  completedAt: string;
  removed: { items: number; ratings: number; idempotencyKeys: number; hidings: number };
  /** All that changes are written to. None has a document of the user. */
  indices: { indexName: string; role: Role }[];
  remains: Remainder[];
};

/** Keeps a receipt in the place of what a stopped erasure needs, unless another process has made one meanwhile. */
export async function keepReceipt(database: Database, receipt: Receipt): Promise<void> {
  await database.write(
    `with ended as (delete from user_erasure where user_id = $1 returning user_id)
     insert into erasure_receipt (user_id, completed_at, receipt) select user_id, $2, $3 from ended`,
    [receipt.userId, receipt.completedAt, JSON.stringify(receipt)],
  );
}

/** @param userIds without it, those of all users @returns the receipts that are kept, the newest first */
export async function listReceipts(database: Database, userIds?: number[]): Promise<Receipt[]> {
  const rows = await database.query<{ receipt: Receipt }>(
    `select receipt from erasure_receipt where $1::bigint[] is null or user_id = any($1) order by completed_at desc, user_id`,
    [userIds ?? null],
  );
  return rows.map(({ receipt }) => receipt);
}

/** @returns the time after which the purge removes the receipt */
export function keptUntil(completedAt: string): string {
  const time = new Date(completedAt);
  time.setUTCDate(time.getUTCDate() + ERASURE_RECEIPT_DAYS);
  return time.toISOString();
}
