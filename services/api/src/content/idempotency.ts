import type { Tx } from '@ugc/shared/stores/postgres';
import { IDEMPOTENCY_KEY_RETENTION } from '@ugc/shared/contracts/retention';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { badRequest, Problem } from '../http/problem.ts';
import type { Upload } from './upload-schema.ts';

/** A user's word for one request; whoever repeats the request under the same key gets the first answer. */
export type IdempotencyKey = { userId: number; key: string };

const KEY_RULE = 'must be 1 to 255 visible ASCII characters';

export const IdempotencyKeyHeader = z
  .string()
  .max(255, KEY_RULE)
  .regex(/^[!-~]*$/, KEY_RULE)
  .meta({
    description: 'Repeating an upload with the same key returns the first response. Keys are kept for 24 hours.',
    example: '6f1c2a30-upload',
  });

/** @throws Problem 400 */
export function parseIdempotencyKey(header: string, userId: number): IdempotencyKey | undefined {
  if (header === '') return undefined;
  if (!IdempotencyKeyHeader.safeParse(header).success) {
    throw badRequest('The key is not valid.', [{ parameter: 'Idempotency-Key', detail: KEY_RULE }]);
  }
  return { userId, key: header };
}

/** Of what a request means, not of its bytes: order of keys and white space do not count. */
export function hashUpload({ thumbnail, ...fields }: Upload): Buffer {
  const image = thumbnail && createHash('sha256').update(thumbnail.bytes).digest('base64');
  return createHash('sha256')
    .update(JSON.stringify({ ...fields, image }))
    .digest();
}

/**
 * Takes the key for this transaction. A second request with it waits here until the first has committed or failed.
 * @returns the first request's outcome if there was one, undefined if this request is the first
 * @throws Problem 422 when the key was used for another request
 */
export async function takeKey<T>(tx: Tx, { userId, key }: IdempotencyKey, requestHash: Buffer): Promise<T | undefined> {
  const taken = await tx.query(
    `insert into idempotency_key as k (user_id, key, request_hash) values ($1, $2, $3)
     on conflict (user_id, key) do update set request_hash = excluded.request_hash, outcome = null, created_at = now()
     where k.created_at < now() - ${IDEMPOTENCY_KEY_RETENTION}
     returning 1`,
    [userId, key, requestHash],
  );
  if (taken.length > 0) return undefined;
  const [first] = await tx.query<{ request_hash: Buffer; outcome: T }>(
    `select request_hash, outcome from idempotency_key where user_id = $1 and key = $2`,
    [userId, key],
  );
  if (!first?.request_hash.equals(requestHash)) throw new Problem(422, 'This Idempotency-Key was used for another request.');
  return first.outcome;
}

export async function keepOutcome(tx: Tx, { userId, key }: IdempotencyKey, outcome: object): Promise<void> {
  await tx.query(`update idempotency_key set outcome = $3 where user_id = $1 and key = $2`, [userId, key, JSON.stringify(outcome)]);
}
