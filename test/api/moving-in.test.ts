import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandsIn, documentedCommands } from '../support/processes/documented-commands.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { openStores, type Stores } from '../support/processes/service.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

let env: Environment;
let stores: Stores;
beforeAll(async () => {
  env = await createEnvironment();
  stores = openStores(env);
});
afterAll(() => stores.close());

/** Runs the commands under a heading of docs/moving.md in a folder with a collection. */
async function walk(heading: string, collection: string): Promise<{ folder: string; stdout: string }> {
  const folder = await dataFolder('moving-in-');
  await cp(join(CHECKOUT, 'test/collections', collection), folder, { recursive: true });
  const run = await commandsIn(folder, process.env['PATH'] ?? '');
  const blocks = documentedCommands('docs/moving.md').filter((each) => each.heading === heading);
  expect(blocks).toHaveLength(1);
  const { code, stdout, stderr } = await run(`set -e\n${blocks[0]?.block}`, { env });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return { folder, stdout };
}

const stored = (externalId: string) =>
  stores.database.query(
    `select name, description, data, file_name, tags, fields, username, credential, content.created_at::text, exists (select from content_thumbnail t where t.content_id = content.content_id) as has_picture
     from external_item join content using (content_id) join users on user_id = creator_id where external_id = $1`,
    [externalId],
  );

describe('the walks of docs/moving.md', () => {
  it('move a sheet with a folder of pictures in', async () => {
    const { folder, stdout } = await walk('A sheet with a folder of pictures', 'openmoji');
    expect(stdout.match(/created 40, .* rejected 0/g)).toHaveLength(2);
    const [, first = ''] = (await readFile(join(folder, 'openmoji.csv'), 'utf8')).split('\n');
    const [emoji = '', hexcode = '', group = ''] = first.split(',');
    expect(await stored(`openmoji/${hexcode}`)).toMatchObject([
      { data: emoji, description: expect.stringContaining(emoji), tags: expect.arrayContaining([group]), hasPicture: true, username: expect.any(String) }, // prettier-ignore
    ]);
  });

  it('move a JSON array in, with texts of files as data', async () => {
    const { folder, stdout } = await walk('A JSON API that was saved as an array', 'simple-icons');
    const icons = JSON.parse(await readFile(join(folder, 'simple-icons.json'), 'utf8')) as { slug: string; title: string; hex: string }[];
    expect(stdout.match(new RegExp(`created ${icons.length}, .* rejected 0`, 'g'))).toHaveLength(2);
    for (const { slug, title, hex } of icons)
      expect(await stored(`simple-icons/${slug}`)).toMatchObject([
        { name: title, description: `${title}, with the colour #${hex}`, data: await readFile(join(folder, `icons/${slug}.svg`), 'utf8'), fileName: `${slug}.svg`, tags: expect.arrayContaining(['CC0-1.0']), credential: 'simple-icons|all' }, // prettier-ignore
      ]);
  });

  it('move an export of another site in, with fields of its own', async () => {
    const { folder, stdout } = await walk('An export of another site', 'earthquakes');
    type Feature = { id: string; properties: { title: string; mag: number; net: string; time: number; status: string } };
    const { features } = JSON.parse(await readFile(join(folder, 'all_week.geojson'), 'utf8')) as { features: Feature[] };
    expect(stdout.match(new RegExp(`created ${features.length}, .* rejected 0`, 'g'))).toHaveLength(2);
    for (const { id, properties } of features.slice(0, 20)) {
      const { title: name, mag: magnitude, net, time, status } = properties;
      const [item] = await stored(`usgs/${id}`);
      expect(item).toMatchObject({
        name,
        username: net,
        credential: `usgs|${net}`,
        fields: { magnitude, reviewed: status === 'reviewed' },
      });
      expect(Date.parse(`${String(item?.['createdAt'])}:00`)).toBe(time);
    }
  });
});
