const factor = Number(process.env['STORE_TIMEOUT_FACTOR'] || 1);

/**
 * A time limit of a request to a store or to the key server, or of work that waits for some of them, in milliseconds.
 * STORE_TIMEOUT_FACTOR multiplies all of
 * them, for stores that are far away or slow. It is read here and not passed on, because every connection needs it.
 */
export function storeTimeout(ms: number): number {
  return ms * factor;
}
