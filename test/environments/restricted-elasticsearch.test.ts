import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { serverAccount } from '@ugc/local-stack/account';
import { elasticsearchServer } from '@ugc/local-stack/elasticsearch-server';
import type { Server } from '@ugc/local-stack/server';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { indexCommand } from '../support/processes/command.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { IS_OPENSEARCH } from '../support/servers/search-engine.ts';

const PRIVILEGES = new URL('../../deploy/elasticsearch/api-key.json', import.meta.url);
/** The names in the file are those of the default alias. */
const ALIAS = 'content';
/** The bcrypt hash of this password. */
const [PASSWORD, HASH] = ['of the service', '$2a$04$t5qUQVJhHYZGELdyHNWAheY8e5pEL7WOKEMHbGc1p7sYEjg6oSeoO'];

const SETTINGS = {
  'xpack.security.enabled': true,
  'xpack.security.transport.ssl.enabled': false,
  'xpack.ml.enabled': false,
  // The server counts as started when its health can be read without a user.
  'xpack.security.authc.anonymous.username': 'anyone',
  'xpack.security.authc.anonymous.roles': 'remote_monitoring_agent',
};

/** These are privileges of Elasticsearch's security. */
const onElasticsearch = IS_OPENSEARCH ? it.skip : it;

let folder: string;
let server: Server;
let cluster: Cluster;
beforeAll(async () => {
  folder = await dataFolder('elasticsearch-');
  const [port = 0] = await freePorts(1);
  // An API key cannot be created here: the local distribution lacks an analyzer that the index of the keys has.
  const { role_descriptors: roles } = JSON.parse(readFileSync(PRIVILEGES, 'utf8')) as { role_descriptors: object };
  const config = join(folder, 'config');
  await mkdir(config, { recursive: true });
  // JSON is YAML.
  await writeFile(join(config, 'roles.yml'), JSON.stringify(roles));
  await writeFile(join(config, 'users'), `ugc:${HASH}\n`);
  await writeFile(join(config, 'users_roles'), 'ugc:ugc\n');
  server = elasticsearchServer({ dataDir: folder, port, as: serverAccount(), settings: SETTINGS });
  await server.start();
  const url = server.url.replace('//', `//ugc:${encodeURIComponent(PASSWORD)}@`);
  cluster = await startCluster({}, { ELASTICSEARCH_URL: url, CONTENT_ALIAS: ALIAS });
});
afterAll(async () => {
  await cluster.stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

onElasticsearch('the privileges of the file are enough to start, index, search, rebuild, roll back and audit', async () => {
  const { client, env } = cluster;
  expect((await client.tryUpload({ name: 'restricted' }, 1, { Prefer: 'wait=20' })).status).toBe(201);
  await cluster.indexed();
  expect(await client.search('restrictde')).toHaveLength(1);
  expect((await client.get('/api/content/facets')).status).toBe(200);
  expect((await client.get('/api/content/suggest?prompt=restr')).status).toBe(200);
  for (const command of [
    ['index-rebuild'],
    ['index-rebuild', '--rollback'],
    ['index-rebuild'],
    ['index-rebuild', '--finish'],
    ['index-audit'],
  ])
    expect(await indexCommand(env, command[0] ?? '', ...command.slice(1))).toMatchObject({ code: 0 });
  expect((await indexCommand(env, 'index-status', '--json')).json[0]).toMatchObject({ pending: expect.anything() });
  expect(await client.search('restricted')).toHaveLength(1);
});

onElasticsearch('the privileges do not permit other indices, users and settings of the cluster', async () => {
  const { elasticsearch } = cluster;
  const refused = [
    elasticsearch.indices.create({ index: 'accounts' }),
    elasticsearch.search({ index: '.security' }),
    elasticsearch.cluster.putSettings({ persistent: { 'action.auto_create_index': 'true' } }),
    elasticsearch.security.putUser({ username: 'intruder', password: 'intruder', roles: ['superuser'] }),
  ];
  for (const result of await Promise.allSettled(refused)) expect(result).toMatchObject({ status: 'rejected', reason: { statusCode: 403 } });
});
