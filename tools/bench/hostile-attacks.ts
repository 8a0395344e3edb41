import { request, Agent, type ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gif, jpeg, png, webpChunk, webpExtended, pngChunk } from '../../test/support/database/images.ts';
import { head, sendRaw } from '../../test/support/http/raw-http.ts';
import { tokenOf } from '../../test/support/http/tokens.ts';
import { COSTLY_CHARACTERS, longestDescription } from './costly-characters.ts';
import { FIELD_REQUESTS, mostValues } from './hostile-fields.ts';

export type Target = { baseUrl: string; userId: number };
type Sent = { status: number; body: string };

/** One kind of attack. Its first user uploads what it needs, then each of its users sends requests until the signal is aborted. */
export type Attack = {
  what: string;
  /** One, unless it is told. */
  users?: number;
  /** Which aims it has when it attacks alone: `bytes` that cost more than they look, from one connection, or those of `users`. */
  aims?: 'bytes' | 'users';
  prepare?: (target: Target) => Promise<void>;
  run: (target: Target, signal: AbortSignal) => Promise<void>;
};

export const MOST_USERS = 8;

const ITEM = { creatorId: 1, name: 'hostile', description: '', version: 1, data: '' };
const pictures: number[] = [];
const edited: number[] = [];

const agent = new Agent({ keepAlive: true, maxSockets: 400 });
const MOST_BYTES = COSTLY_CHARACTERS['the longest form in JSON'];
const LONGEST = longestDescription(COSTLY_CHARACTERS['the longest compatible form']);
const TAG_CHARACTERS = 62;

export const ATTACKS: Attack[] = [
  // What the others are compared with: this takes processor time from others too, on a machine that all share.
  {
    what: 'no attack: gets and searches, one after the other',
    run: many(1, (target, n) => send(target, 'GET', n % 2 ? `/api/content/${(n % 300) + 1}` : '/api/content?prompt=words')),
  },
  {
    what: 'items that take most bytes in lists, and lists of them',
    prepare: uploads(30, () => ({ data: MOST_BYTES.repeat(262_144 / MOST_BYTES.length) })),
    run: many(4, (target) => send(target, 'GET', '/api/content?size=10')),
  },
  {
    what: 'items that are searched as most letters, and their highlights',
    prepare: uploads(300, (n) => ({ name: `marked ${n}`, description: `${LONGEST} ${Math.random()}` })),
    run: many(4, (target) => send(target, 'GET', '/api/content?prompt=marked&highlight=true&size=50&sort=relevance')),
  },
  {
    what: 'downloads of items that take longest to index',
    run: many(2, (target, n) => send(target, 'POST', `/api/content/${(n % 300) + 1}/downloads`)),
  },
  {
    what: 'large pages, closed before they are rendered',
    run: many(8, (target, n) => abort(target, `/api/content?size=200&page=${n % 20}`)),
  },
  {
    what: 'tags that begin alike, and suggestions for them',
    prepare: uploads(100, (item) => ({ tags: Array.from({ length: 32 }, (_, n) => tagOf(item * 32 + n)) })),
    run: many(4, (target, n) => send(target, 'GET', `/api/content/suggest?prompt=${n % 2 ? 'li' : 'l'}`)),
  },
  {
    what: 'misspelt prompts, facets and deep pages',
    run: many(8, (target, n) => send(target, 'GET', EXPENSIVE[n % EXPENSIVE.length] ?? '')),
  },
  { what: 'responses that nobody reads', run: many(30, unread) },
  { what: 'bodies that are refused', aims: 'bytes', run: many(1, (target, n) => send(target, 'POST', '/content', bodyOf(n))) },
  { what: 'pictures of empty parts', aims: 'bytes', run: many(1, (target, n) => send(target, 'POST', '/content', pictureOf(n))) },
  {
    what: 'pictures of most parts, which are read',
    aims: 'bytes',
    prepare: async (target) => {
      for (let n = 0; n < 24; n += 1) {
        const item = { ...(JSON.parse(String(pictureOf(n, 3_900))) as object), creatorId: target.userId };
        pictures.push((JSON.parse((await send(target, 'POST', '/content', item)).body) as { content_id: number }).content_id);
      }
    },
    run: many(1, (target, n) => send(target, 'GET', `/api/content/${pictures[n % 24]}/thumbnail`)),
  },
  {
    what: 'pages of large items',
    aims: 'bytes',
    prepare: uploads(110, (n) => ({ data: 'x'.repeat(262_144), tags: ['large'], name: `large ${n}` })),
    run: many(1, (target) => send(target, 'GET', '/api/content?anyTags=large&size=110')),
  },
  {
    what: 'pages of large hidden items',
    aims: 'users',
    prepare: async (target) => {
      const ids: number[] = [];
      await uploads(110, (n) => ({ data: 'x'.repeat(262_143), name: `hidden ${n}` }), ids)(target);
      const moderator = { authorization: `Bearer ${await tokenOf(target.userId, { scope: 'content:moderate' })}` };
      for (const id of ids) await send(target, 'PUT', `/api/content/${id}/hidden`, { reason: 'bench' }, moderator);
    },
    run: many(1, (target) => send(target, 'GET', '/api/content/hidden?size=110')),
  },
  { what: 'slow bodies of four users', users: 4, aims: 'users', run: slowBodies },
  { what: 'slow bodies of eight users', users: 8, aims: 'users', run: slowBodies },
  {
    what: 'large highlighted pages of four users',
    users: 4,
    aims: 'users',
    prepare: uploads(200, (n) => ({ name: `han ${n} 漢`, description: '漢字'.repeat(5_000), tags: ['han'] })),
    run: many(1, (target) => {
      const own = `maxDownloads=${1_000 + target.userId}`;
      return send(target, 'GET', `/api/content?anyTags=han&prompt=${encodeURIComponent('漢字')}&highlight=true&size=200&${own}`);
    }),
  },
  {
    what: 'the largest pages of four users',
    users: 4,
    aims: 'users',
    prepare: uploads(110, (n) => ({ data: 'x'.repeat(262_144), tags: ['largest'], name: `largest ${n}` })),
    run: many(1, (target) => send(target, 'GET', `/api/content?anyTags=largest&size=110&maxDownloads=${1_000 + target.userId}`)),
  },
  {
    what: 'prompts of missing words',
    aims: 'users',
    prepare: uploads(100, () => ({ name: 'words', description: wordsOf(900).slice(0, 10_000) })),
    run: many(8, (target, n) => send(target, 'GET', `/api/content?prompt=${n % 2 ? wordsOf(8) : wordsWithUmlauts()}&sort=relevance`)),
  },
  {
    what: 'items with most values of most declared fields, and conditions on them and counts of them',
    aims: 'users',
    prepare: uploads(200, (n) => ({ fields: mostValues(n), name: `fields ${n}` })),
    run: many(8, (target, n) => send(target, 'GET', FIELD_REQUESTS[n % FIELD_REQUESTS.length] ?? '')),
  },
  {
    what: 'edits of most values of most declared fields',
    prepare: uploads(1, () => ({ fields: mostValues(0), name: 'edited fields' }), edited),
    run: many(4, (target, n) => send(target, 'PATCH', `/api/content/${edited[0]}`, { fields: mostValues(n) })),
  },
  { what: 'bodies in chunks of one byte', aims: 'bytes', run: many(1, (target, n) => onTheWire(target, n % 2)) },
  { what: 'two thousand requests in one packet', aims: 'bytes', run: many(1, (target) => onTheWire(target, 2)) },
  { what: 'headers and times of 15 kB', aims: 'bytes', run: many(1, (target, n) => onTheWire(target, 3 + (n % 2))) },
  {
    what: 'names that change with each token',
    aims: 'bytes',
    prepare: async (target) => {
      const { body } = await send(target, 'PUT', '/api/users/me', undefined, await asAccount(0));
      const { userId: creatorId } = JSON.parse(body) as { userId: number };
      for (let n = 0; n < 500; n += 1)
        await send(target, 'POST', '/content', { creatorId, name: `n ${n}`, description: '', version: 1, data: '' }, await asAccount(0));
    },
    run: many(1, async (target, n) => send(target, 'PUT', '/api/users/me', undefined, await asAccount(n + 1)).then(() => delay(1_000))),
  },
  {
    what: 'slow headers and tokens with wrong signatures',
    run: (target, signal) => Promise.all([slowHeaders(target, signal), many(8, wrongToken)(target, signal)]).then(),
  },
];

/** Tokens of one account, of which each has another name. */
async function asAccount(n: number): Promise<Record<string, string>> {
  const iat = Math.floor(Date.now() / 1_000) - 3_000 + (n % 3_000);
  return { authorization: `Bearer ${await tokenOf(0, { sub: 'bench|named', name: `Name ${n}`, iat })}` };
}

const BODY_BYTES = 2_000_000;
/** Each is refused, or its `data` is. */
const BODIES = ['\\"', '""', '"",', '[],', '{"a":', '[', '1,', ' ', '\\u0000'].flatMap((part) => {
  const filled = part.repeat(BODY_BYTES / part.length);
  return [`[${filled}`, `{"data":"${filled}"`, `{"data":${filled}}`].map((body) => Buffer.from(body));
});
const BASE64_WITH_BLANKS = Buffer.from(JSON.stringify({ ...ITEM, thumbnail: 'A '.repeat(BODY_BYTES / 2 - 100) }));

function bodyOf(n: number): Buffer {
  const bodies = [...BODIES, BASE64_WITH_BLANKS];
  return bodies[n % bodies.length] ?? BASE64_WITH_BLANKS;
}

/** The smallest part of each format, between the beginning and the end of a picture. */
const PARTS = [
  { head: gif().subarray(0, -1), part: Buffer.from('21f900', 'hex'), tail: gif().subarray(-1) },
  { head: jpeg().subarray(0, -12), part: Buffer.from('ffe50002', 'hex'), tail: jpeg().subarray(-12) },
  { head: png().subarray(0, -12), part: pngChunk('tEXt', Buffer.alloc(0)), tail: png().subarray(-12) },
  { head: webpExtended([], 0), part: webpChunk('ALPH', Buffer.alloc(0)), tail: Buffer.alloc(0) },
];
const PICTURE_BYTES = 524_288;

function pictureOf(n: number, count?: number): Buffer {
  const { head, part, tail } = PARTS[n % PARTS.length] ?? PARTS[0]!;
  const parts = count ?? Math.floor((PICTURE_BYTES - head.length - tail.length) / part.length);
  const picture = Buffer.concat([head, Buffer.alloc(parts * part.length, part), tail]);
  // A WebP counts the bytes that follow its first two fields.
  if (tail.length === 0) picture.writeUInt32LE(picture.length - 8, 4);
  return Buffer.from(JSON.stringify({ ...ITEM, thumbnail: picture.toString('base64') }));
}

async function onTheWire({ baseUrl, userId }: Target, packet: number): Promise<string> {
  const json = [`Authorization: Bearer ${await tokenOf(userId)}`, 'Content-Type: application/json', 'Connection: close'];
  const chunks = `1\r\n{\r\n${'1\r\n \r\n'.repeat(10_000)}0\r\n\r\n`;
  const packets = [
    `${head('POST', '/content', [...json, 'Transfer-Encoding: chunked'])}${chunks}`,
    `${head('POST', '/content', ['Transfer-Encoding: chunked', 'Connection: close'])}${chunks}`,
    head('GET', '/health/live').repeat(2_000),
    head('GET', '/nosuch', [`Accept: "${',%'.repeat(7_000)}`, 'Connection: close']),
    head('GET', `/api/content?createdFrom=${'T'.repeat(14_000)}`, json),
  ];
  return sendRaw(baseUrl, packets[packet] ?? '');
}

const MISSPELT = 'ligthhuose harbuor pixle recpie gardne walikng wodoen progarm papre reapir storaeg wintre'.split(' ');
const PROMPT = encodeURIComponent(
  Array.from({ length: 100 }, (_, n) => `${MISSPELT[n % MISSPELT.length]}${'abcdefgh'[n % 8]}`)
    .join(' ')
    .slice(0, 1_000),
);
const EXPENSIVE = [
  `/api/content?prompt=${PROMPT}&match=any&sort=relevance&size=200`,
  `/api/content/facets?prompt=${PROMPT}&match=any&anyTags=a&creatorId=3&minRating=0&minDownloads=0&createdFrom=2000-01-01`,
  '/api/content?page=900&size=10&sort=name',
  '/api/content?prompt=words&page=500&size=10&sort=relevance',
];

function tagOf(n: number): string {
  return `li${String.fromCodePoint(0x20000 + n).repeat(TAG_CHARACTERS)}`;
}

const [LETTERS, WORD_LENGTH] = ['abcdefghijklmnopqrstuvwxyz', 10];

/** Words that are in no item, and of which no two prompts have the same. */
function wordsOf(count: number): string {
  const letters = Array.from({ length: count * WORD_LENGTH }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('');
  return Array.from({ length: count }, (_, n) => letters.slice(n * WORD_LENGTH, (n + 1) * WORD_LENGTH)).join(' ');
}

/** Each may be a word with an umlaut: `ue` is also written `ü`. */
function wordsWithUmlauts(): string {
  return wordsOf(30).replaceAll(/(?<=\b.{3})../g, 'ue');
}

/** What the limits refuse is halved until it is stored. @param ids those of the items are added */
function uploads(count: number, fieldsOf: (n: number) => { data?: string; [field: string]: unknown }, ids: number[] = []) {
  return async (target: Target): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const item = { creatorId: target.userId, name: `hostile ${n}`, description: '', version: 1, data: '', ...fieldsOf(n) };
      let sent = await send(target, 'POST', '/content', item);
      while (sent.status === 400 && item.data !== '') {
        item.data = item.data.slice(0, item.data.length / 2);
        sent = await send(target, 'POST', '/content', item);
      }
      if (sent.status === 201) ids.push((JSON.parse(sent.body) as { content_id: number }).content_id);
    }
  };
}

const SLOW_BODIES = { each: 7, bytes: 2_000_000, bytesPerSecond: 17_000, everyMs: 250 };

/** Bodies just above the minimum rate, of which every second one does not announce its length. */
async function slowBodies(target: Target, signal: AbortSignal): Promise<void> {
  const { each, bytes, bytesPerSecond, everyMs } = SLOW_BODIES;
  const part = Buffer.alloc((bytesPerSecond * everyMs) / 1_000, 'a');
  const sendOne = async (isAnnounced: boolean): Promise<void> => {
    const length: Record<string, string> = isAnnounced ? { 'content-length': String(bytes) } : { 'transfer-encoding': 'chunked' };
    const sent = await open(target, 'POST', '/content', length);
    const closed = new AbortController();
    sent.on('error', () => undefined).once('close', () => closed.abort());
    sent.once('response', (response) => response.resume());
    sent.write('{"z":"');
    for (let n = 0; n < bytes && !closed.signal.aborted && !signal.aborted; n += part.length) {
      await delay(everyMs);
      sent.write(part);
    }
    sent.destroy();
  };
  await Promise.all(
    Array.from({ length: each }, async (_, n) => {
      while (!signal.aborted) await sendOne(n % 2 === 0).then(() => delay(everyMs));
    }),
  );
}

function many(connections: number, once: (target: Target, n: number) => Promise<unknown>) {
  return async (target: Target, signal: AbortSignal): Promise<void> => {
    const run = async (first: number): Promise<void> => {
      for (let n = first; !signal.aborted; n += connections) await once(target, n).catch(() => delay(5));
    };
    await Promise.all(Array.from({ length: connections }, (_, n) => run(n)));
  };
}

async function open({ baseUrl, userId }: Target, method: string, path: string, more: Record<string, string> = {}): Promise<ClientRequest> {
  const headers = { authorization: `Bearer ${await tokenOf(userId)}`, 'content-type': 'application/json', ...more };
  return request(`${baseUrl}${path}`, { method, headers, agent });
}

/** @throws if there is no response */
export async function send(target: Target, method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Sent> {
  const sent = await open(target, method, path, headers);
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  sent.once('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    response.once('error', reject);
  });
  sent.once('error', reject).end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  return promise;
}

async function abort(target: Target, path: string): Promise<void> {
  const sent = await open(target, 'GET', path);
  sent.on('error', () => undefined).end();
  await delay(Math.random() * 200);
  sent.destroy();
}

/** Asks for a page and does not read it for a while. */
async function unread(target: Target): Promise<void> {
  const sent = await open(target, 'GET', '/api/content?size=200');
  sent.on('error', () => undefined).end();
  await delay(4_000);
  sent.destroy();
}

async function wrongToken(target: Target, n: number): Promise<void> {
  const token = await tokenOf(target.userId, { n });
  const sent = await open(target, 'GET', '/api/content/1', { authorization: `Bearer ${token.slice(0, -4)}AAAA` });
  await new Promise((resolve) =>
    sent
      .once('response', (response) => response.resume().once('end', resolve))
      .once('error', resolve)
      .end(),
  );
}

/** Connections that send one byte every three seconds. */
async function slowHeaders({ baseUrl }: Target, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const isOver = (): boolean => signal.aborted;
  const run = async (): Promise<void> => {
    while (!isOver()) {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-A: ');
      while (!socket.destroyed && !isOver()) {
        await delay(3_000);
        socket.write('a');
      }
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: 500 }, run));
}
