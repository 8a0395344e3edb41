/** How long what nobody sees any more is kept, as PostgreSQL intervals. */

/** Within this time the same Idempotency-Key gives the first answer. */
export const IDEMPOTENCY_KEYS_KEPT_FOR = `interval '24 hours'`;

/** Far longer than any job can be under way. */
export const TOMBSTONES_KEPT_FOR = `interval '7 days'`;
