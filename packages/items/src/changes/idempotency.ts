import type { Definitions } from '@ugc/fields/definition';
import type { Tx } from '@ugc/shared/postgres/postgres';
import { IDEMPOTENCY_KEY_RETENTION } from '@ugc/shared/contracts/retention';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { badRequest, Problem } from '../problems/problem.ts';
import { givenFields } from './item-fields.ts';
import type { Upload } from '../fields/upload-schema.ts';

/** The Idempotency-Key of a request. Keys of different users are independent. */
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

export function parseIdempotencyKey(header: string): string | undefined {
  if (header === '') return undefined;
  if (!IdempotencyKeyHeader.safeParse(header).success) throw invalidKey();
  return header;
}

export function invalidKey(): Problem {
  return badRequest('invalid-header', 'The Idempotency-Key header is not valid.', [{ parameter: 'Idempotency-Key', detail: KEY_RULE }]);
}

/** Hashes the parsed upload, so that key order and white space of the JSON do not matter, with the picture as sent. */
export function hashUpload({ thumbnail, fields, ...others }: Upload, declared: Definitions): Buffer {
  // Without the last property, the hash is that of earlier processes.
  const hashed = { ...others, image: thumbnail?.sentHash, fields: givenFields(fields, declared) };
  return hash('sha256', JSON.stringify(hashed), 'buffer');
}

/** A concurrent request with the same key waits until this transaction ends. @returns the outcome of the first request */
export async function claimKey<T extends object>(tx: Tx, { userId, key }: IdempotencyKey, requestHash: Buffer): Promise<T | undefined> {
  const inserted = await tx.query(
    `insert into idempotency_key as k (user_id, key, request_hash) values ($1, $2, $3)
     on conflict (user_id, key collate "C") do update set request_hash = excluded.request_hash, outcome = null, created_at = now()
     where k.created_at < now() - ${IDEMPOTENCY_KEY_RETENTION}
     returning 1`,
    [userId, key, requestHash],
  );
  if (inserted.length > 0) return undefined;
  const [first] = await tx.query<{ requestHash: Buffer; outcome: T }>(
    `select request_hash, outcome from idempotency_key where user_id = $1 and key collate "C" = $2`,
    [userId, key],
  );
  if (!first?.requestHash.equals(requestHash)) throw keyUsedForAnother();
  return first.outcome;
}

export function keyUsedForAnother(): Problem {
  return new Problem(422, 'key-used', 'This Idempotency-Key was already used for a different request.');
}

export async function storeOutcome(tx: Tx, { userId, key }: IdempotencyKey, outcome: object): Promise<void> {
  await tx.query(`update idempotency_key set outcome = $3 where user_id = $1 and key collate "C" = $2`, [
    userId,
    key,
    JSON.stringify(outcome),
  ]);
}
