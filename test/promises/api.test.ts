import { describe, expect, it } from '@jest/globals';
import { pngChunk, exif, gif, gifExtension, jpeg, jpegSegment, png, webpChunk, webpExtended } from '../support/database/images.ts';
import { formatOf } from '@ugc/items/pictures/thumbnail';
import { isBlank } from '@ugc/text/words/is-blank';
import { scrape } from '../support/http/scrape.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { startService } from '../support/processes/service.ts';
import { startOwnRedis } from '../support/servers/redis.ts';
import { silentServer } from '../support/servers/silent-server.ts';

describe('linear time is taken by', () => {
  const exifSegment = (tiff: Buffer): Buffer => jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiff]));
  const directory = Buffer.concat([Buffer.from('4d4d002a00000008ffff', 'hex'), Buffer.alloc(65_000, 1)]);
  const many = (part: Buffer, count = 100_000): Buffer[] => Array.from({ length: count }, () => part);

  it.each<[string, () => Buffer]>([
    ['100,000 segments', () => jpeg({ segments: many(exifSegment(exif(0))) })],
    ['100,000 chunks', () => png({ extra: many(pngChunk('eXIf', Buffer.alloc(0))) })],
    ['100,000 extensions', () => gif({ extensions: many(gifExtension(0xfe, 'x')) })],
    ['100,000 chunks of a WebP', () => webpExtended(many(webpChunk('EXIF', Buffer.alloc(0))), 0)],
    ['a megabyte of fill bytes', () => jpeg({ segments: [Buffer.alloc(1_000_000, 0xff)] })],
    ['directories of a million entries', () => jpeg({ segments: many(exifSegment(directory), 16) })],
  ])('a picture with %s', (_, picture) => {
    const bytes = picture();
    expect(cpuMs(() => void formatOf(bytes)?.read(bytes, Infinity))).toBeLessThan(2_000);
  });

  it('a text that shows nothing but its last letter', () => {
    const text = `${'\u200b\u3164'.repeat(500_000)}a`;
    expect(cpuMs(() => void isBlank(text))).toBeLessThan(1_000);
  });
});

it.each(['1', '10', '100'])(
  'a scrape returns before Prometheus gives up after 10 s, with STORE_TIMEOUT_FACTOR=%s, although no store responds',
  async (factor) => {
    const before = process.env['STORE_TIMEOUT_FACTOR'];
    process.env['STORE_TIMEOUT_FACTOR'] = factor;
    const silent = await silentServer();
    const hung = await startApiAlone({
      DATABASE_URL: `postgresql://u:p@${silent.address}/ugc`,
      REDIS_URL: `redis://${silent.address}`,
      ELASTICSEARCH_URL: `http://${silent.address}`,
    });
    const startedAt = performance.now();
    const metrics = await scrape(hung.operationsUrl);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    // What its alerts need.
    for (const store of ['postgres', 'redis', 'elasticsearch']) expect(metrics.get(`ugc_${store}_up`)).toBe(0);
    if (before === undefined) delete process.env['STORE_TIMEOUT_FACTOR'];
    else process.env['STORE_TIMEOUT_FACTOR'] = before;
    // Its end also ends the requests that the API waits for.
    await silent.stop();
    await hung.stop();
  },
);

describe('an upload', () => {
  const service = forAllTests(() => startService());

  it('to a rejected item with Prefer: wait returns at once', async () => {
    const id = await service.client.upload();
    await service.indexed();
    const reject = `insert into index_outbox (content_id, revision, due_at, rejected_reason) values ($1, 1, 'infinity', 'because')`;
    await service.database.query(reject, [id]);
    const startedAt = performance.now();
    await service.client.send('PATCH', `/api/content/${id}`, {}, 1, { prefer: 'wait=10' });
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });
});

it('a request does not wait for a Redis that does not respond', async () => {
  const redis = await startOwnRedis();
  const api = await startApiAlone({ REDIS_URL: redis.url, RATE_LIMIT_WRITES_PER_MINUTE: '100' });
  await redis.admin.client('PAUSE', 600_000);
  for (let n = 0; n < 6; n += 1) {
    const startedAt = performance.now();
    expect((await api.client.tryUpload()).status).toBe(201);
    // Uploads without Redis take at most 300 ms.
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  }
  await api.stop();
  await redis.stop();
});

/** @returns the processor time that this process takes meanwhile, in milliseconds: other programs do not lengthen it */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
