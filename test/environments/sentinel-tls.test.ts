import { serverAccount } from '@ugc/local-stack/account';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { until } from '../support/jest/until.ts';
import { indexCommand } from '../support/processes/command.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { startSentinels, type Sentinels, type TlsFiles } from '../support/servers/sentinels.ts';
import { createAuthority, issueCertificate } from '../support/servers/tls.ts';

let files: TlsFiles & { otherCa: string };
let sentinels: Sentinels;
let cluster: Cluster;
const uploads = new Uploads();

async function writeFiles(): Promise<typeof files> {
  const folder = await dataFolder('sentinel-tls-');
  const account = serverAccount();
  const write = async (name: string, content: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    if (account) await chown(path, account.uid, account.gid);
    return path;
  };
  const authority = await createAuthority('the authority of these tests');
  const other = await createAuthority('another authority');
  const { cert, key } = await issueCertificate(authority);
  return {
    ca: await write('ca.pem', authority.cert),
    otherCa: await write('other-ca.pem', other.cert),
    cert: await write('server.pem', cert),
    key: await write('server.key', key),
  };
}

beforeAll(async () => {
  files = await writeFiles();
  sentinels = await startSentinels(files);
  const processEnv = () => Promise.resolve({ NODE_EXTRA_CA_CERTS: files.ca });
  cluster = await startCluster({ processEnv }, { ...sentinels.env, RATE_LIMIT_WRITES_PER_MINUTE: '1000000' });
});
afterAll(async () => {
  await cluster.stop();
  await sentinels.stop();
});

async function expectIndexed(name: string): Promise<void> {
  await uploads.send(cluster.client, name);
  await cluster.indexed();
  expect(await cluster.client.search(`"${name}"`)).toHaveLength(1);
}

it('with TLS to the sentinels and to Redis, uploads are indexed, and the queue is found', async () => {
  expect(sentinels.env['REDIS_URL']).toMatch(/^rediss:/);
  await expectIndexed('encrypted on both hops');
  expect((await cluster.client.get('/health/ready')).body).toMatchObject({ status: 'ready', stores: { redis: 'up' } });
  const { json } = await indexCommand({ ...cluster.env, NODE_EXTRA_CA_CERTS: files.ca }, 'index-status', '--json');
  expect(json[0]).toMatchObject({ queue: { waiting: 0 }, queueProblem: null });
});

it('they are indexed by the new primary after a failover, and nothing is lost', async () => {
  const former = await sentinels.primary();
  await former.kill();
  const replaced = until('another server is the primary', async () => (await sentinels.primary()) !== former);
  await uploads.sendDuring(cluster.client, 'during the failover', replaced);
  await cluster.indexed();
  await former.start();
  await expectIndexed('after the failover');
  expect(uploads.statusesBut(201)).toEqual([]);
  // The oracle reads the queue in this process, which does not know the authority: the primary has a port without TLS too.
  const { REDIS_SENTINEL_NAME: _name, REDIS_SENTINEL_PASSWORD: _password, ...env } = cluster.env;
  await expectNothingLost({ ...cluster, env: { ...env, REDIS_URL: (await sentinels.primary()).url } }, uploads);
});

it('a certificate of an unknown authority is not accepted, and the command names the reason', async () => {
  const { json } = await indexCommand({ ...cluster.env, NODE_EXTRA_CA_CERTS: files.otherCa }, 'index-status', '--json');
  const { queue, queueProblem } = json[0] as { queue: unknown; queueProblem: string };
  expect(queue).toBeNull();
  expect(queueProblem).toMatch(/certificate that is not accepted|All sentinels are unreachable/);
});
