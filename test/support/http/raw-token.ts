import { createHmac, createSign, type KeyObject } from 'node:crypto';
import { SECRET } from './tokens.ts';

/** Encodes a segment of a token as base64url; values other than strings and buffers are serialized as JSON. */
export function encode(part: unknown): string {
  if (Buffer.isBuffer(part)) return part.toString('base64url');
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** A token with any header and payload, signed with HMAC even if the header names another algorithm. */
export function hmacToken(header: unknown, payload: unknown, { hash = 'sha256', secret = SECRET } = {}): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** A token signed with RSA, also with keys that are too short for JWT libraries. */
export function rsaToken(header: unknown, payload: unknown, privateKey: KeyObject): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`;
}

/** The same token with one bit of a segment's first character flipped. */
export function flipBit(token: string, segment: number): string {
  const parts = token.split('.');
  const bytes = Buffer.from(parts[segment] ?? '', 'base64url');
  bytes[bytes.length >> 1]! ^= 1;
  parts[segment] = bytes.toString('base64url');
  return parts.join('.');
}
