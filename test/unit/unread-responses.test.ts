import { describe, expect, it } from '@jest/globals';
import { disconnectSignal } from '@ugc/api/limits/request-limits';
import { UnreadResponses } from '@ugc/api/limits/unread-responses';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

const KIB = 1_024;
/** The limits are 1,000 KiB of one user, and 2,000 KiB of all. */
const create = () => new UnreadResponses(1_000 * KIB);

/** A response that records whether it is destroyed. */
class Response extends EventEmitter {
  isDestroyed = false;
  destroy(): void {
    this.isDestroyed = true;
  }
}

function send(unread: UnreadResponses, userId: number, kib: number) {
  const response = new Response();
  const body = unread.send(userId, response as unknown as ServerResponse, Buffer.alloc(kib * KIB, 'x'));
  return { response, body };
}

const destroyed = (sent: { response: Response }[]): boolean[] => sent.map(({ response }) => response.isDestroyed);

describe('unread responses', () => {
  it('count until they are closed', () => {
    const unread = create();
    const { response } = send(unread, 1, 300);
    expect(unread.bytes.used).toBe(300 * KIB);
    response.emit('close');
    expect(unread.bytes.used).toBe(0);
  });

  it('are closed above the limit of all users: of the user with the most bytes, the one without progress for longest', async () => {
    const unread = create();
    const sent = [send(unread, 1, 500), send(unread, 2, 600), send(unread, 1, 500)];
    // The client reads a piece of its first response.
    const reader = sent[0]?.body as Readable;
    await reader[Symbol.asyncIterator]().next();
    sent.push(send(unread, 3, 900));
    expect(destroyed(sent)).toEqual([false, false, true, false]);
    expect(unread.bytes.used).toBe(2_000 * KIB);
    sent.push(send(unread, 4, 1));
    expect(destroyed(sent)).toEqual([false, false, true, true, false]);
  });

  it('are counted before they are made, and make room at once', () => {
    const unread = create();
    const sent = [send(unread, 1, 900), send(unread, 2, 800)];
    const made = unread.reserve(3, 900 * KIB);
    expect(destroyed(sent)).toEqual([true, false]);
    expect(unread.bytes.usedBy(3)).toBe(900 * KIB);
    made.release();
    expect(unread.bytes.used).toBe(800 * KIB);
  });

  it('above the limit of their user are refused, but for a single one, which may be larger', () => {
    const unread = create();
    const first = unread.reserve(1, 5_000 * KIB);
    expect(() => unread.reserve(1, 1)).toThrow('You have');
    expect(() => unread.assertBelowLimit(1)).toThrow('You have');
    unread.assertBelowLimit(2);
    first.release();
    unread.assertBelowLimit(1);
  });

  it('cannot be made while all the room is reserved', () => {
    const unread = create();
    unread.reserve(1, 1_000 * KIB);
    unread.reserve(2, 1_000 * KIB);
    expect(() => unread.reserve(3, 1)).toThrow('All users together');
  });

  it('have one listener that notices that the client has left, however many parts of a request wait', () => {
    const response = new Response() as unknown as ServerResponse;
    const signals = Array.from({ length: 3 }, () => disconnectSignal(response));
    expect(response.listenerCount('close')).toBe(1);
    response.emit('close');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  it('are sent completely, large ones in pieces', async () => {
    const { body } = send(create(), 1, 700);
    const pieces = await (body as Readable).toArray();
    expect(pieces.map((piece) => piece.length / KIB)).toEqual([256, 256, 188]);
  });
});
