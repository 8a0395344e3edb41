/** How long what nobody sees any more is kept, as PostgreSQL intervals. */

/** Within this time the same Idempotency-Key gives the first answer. */
export const IDEMPOTENCY_KEY_RETENTION = `interval '24 hours'`;

/** Far longer than any job can be under way. */
export const TOMBSTONE_RETENTION = `interval '7 days'`;
