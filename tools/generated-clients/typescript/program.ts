// What a program does with the client that openapi-generator makes for TypeScript, with `fetch`.
import { readFileSync } from 'node:fs';
import { Configuration, ItemsApi, ResponseError, SearchApi, UsersApi } from './index';

const TAG = 'generated-typescript';
const { BASE_URL = '', TOKEN = '', PICTURE = '' } = process.env;

const configuration = new Configuration({ basePath: BASE_URL, accessToken: TOKEN });
const [items, lists] = [new ItemsApi(configuration), new SearchApi(configuration)];

async function main(): Promise<void> {
  const { userId } = await new UsersApi(configuration).ensureOwnUser();
  const picture = readFileSync(PICTURE);
  const ids: number[] = [];
  for (const [n, name] of ['Lighthouse at dusk', 'Harbour 1', 'Harbour 2'].entries()) {
    const thumbnail = n === 0 ? { thumbnail: picture.toString('base64') } : {};
    const upload = { creatorId: userId, name, description: '', version: 1, data: 'data', tags: [TAG], ...thumbnail };
    ids.push((await items.uploadContent({ upload, idempotencyKey: `${TAG}-${n}`, prefer: 'wait=10' })).contentId);
  }
  const [first = 0] = ids;
  for (const id of ids)
    while ((await items.getIndexStatus({ id })).status !== 'indexed') await new Promise((resolve) => setTimeout(resolve, 1_000));

  const page = await lists.listContent({ prompt: 'lighthuose', tags: [TAG], sort: ['relevance', 'name,asc'], include: ['tags'] });
  const [found] = page.content;
  expect(page.totalElements === 1 && found?.contentId === first, 'the search finds the item');
  expect(found?.data === 'data' && found.tags?.[0] === TAG, 'the item has its data and tags');

  const names: string[] = [];
  for (let after: string | undefined; ;) {
    const slice = await lists.listContent({ tags: [TAG], size: 1, totals: false, include: ['next'], after });
    expect(slice.totalElements === undefined, 'a page without totals has none');
    names.push(...slice.content.map(({ name }) => name));
    after = slice.next ?? undefined;
    if (after === undefined) break;
  }
  expect(names.join() === 'Harbour 2,Harbour 1,Lighthouse at dusk', 'the walk reads each item once');
  expect((await items.getThumbnail({ id: first })).size === picture.length, 'the thumbnail is the picture');

  const ifMatch = (await items.getContentRaw({ id: first })).raw.headers.get('etag') ?? '';
  const edited = await items.editContent({ id: first, edit: { name: 'Lighthouse at dawn' }, ifMatch });
  expect(edited.name === 'Lighthouse at dawn', 'the edit changes the name');
  await expectStatus(412, items.editContent({ id: first, edit: { name: 'Lighthouse at noon' }, ifMatch }));
  await items.deleteContent({ id: first });
  expect((await expectStatus(404, items.getContent({ id: first }))).includes('/docs#item-unknown'), 'the error has its kind');
}

async function expectStatus(status: number, request: Promise<unknown>): Promise<string> {
  const response = await request.then(
    () => undefined,
    (error: unknown) => (error instanceof ResponseError ? error.response : undefined),
  );
  expect(response?.status === status, `the status is ${status}`);
  return response ? response.text() : '';
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not true: ${what}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
