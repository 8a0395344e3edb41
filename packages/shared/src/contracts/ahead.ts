/**
 * A condition on the table `index_ahead a`: a complete audit with repair has found all items that were ahead, and each of
 * them is indexed again.
 */
export const IS_REPAIRED = `(a.last_seen_at <= a.audited_at and not exists (select from index_outbox o where o.pending_since <= a.audited_at))`;
