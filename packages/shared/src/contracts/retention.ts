/** Within this time a repeated Idempotency-Key gets the first response. */
export const IDEMPOTENCY_KEY_RETENTION = `interval '24 hours'`;

/** Must be much longer than a job can take: the tombstone's revision keeps a late job from bringing the item back. */
export const TOMBSTONE_RETENTION = `interval '7 days'`;

/** An indexer that runs removes what is older than the times above this often. */
export const PURGE_EVERY_MS = 3_600_000;
