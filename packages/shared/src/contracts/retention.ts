/** Within this time a repeated Idempotency-Key gets the first response. */
export const IDEMPOTENCY_KEY_RETENTION = `interval '24 hours'`;

/** Must be much longer than a job can take: the tombstone's revision keeps a late job from bringing the item back. */
export const TOMBSTONE_RETENTION = `interval '7 days'`;

/** How many days the receipt of an erasure can be read again. It has the SHA-256 of the credential. */
export const ERASURE_RECEIPT_DAYS = 30;

/** The day in UTC of a time in SQL. */
export const dayOf = (time: string): string => `((${time}) at time zone 'UTC')::date`;
export const TODAY = dayOf('now()');

/** A prompt that fewer users have sent on a day is removed when the day ends, and so are the hashes of all users. */
export const SEARCH_INSIGHT_USERS_MIN = 5;
/** How many days other prompts are kept for. */
export const SEARCH_INSIGHT_DAYS = 30;

/** An indexer that runs removes what is older than the times above this often. */
export const PURGE_EVERY_MS = 3_600_000;
