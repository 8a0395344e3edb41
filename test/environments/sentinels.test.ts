/** @store-timeout-factor 3 */
import { serverAccount } from '@ugc/local-stack/account';
import type { Server } from '@ugc/local-stack/server';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { rows } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { indexCommand } from '../support/processes/command.ts';
import type { Environment } from '../support/processes/environment.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { startSentinels, type Sentinels, type TlsFiles } from '../support/servers/sentinels.ts';
import { createAuthority, issueCertificate } from '../support/servers/tls.ts';

const COUNTING = { RATE_LIMIT_WRITES_PER_MINUTE: '1000000', RATE_LIMIT_LISTS_PER_MINUTE: '1000000' };

let files: TlsFiles & { otherCa: string };
beforeAll(async () => {
  files = await writeFiles();
});

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

describe.each([
  ['with Redis behind sentinels', false],
  ['with TLS to the sentinels and to Redis', true],
])('%s', (_, isSecure) => {
  let sentinels: Sentinels;
  let cluster: Cluster;
  const uploads = new Uploads();
  const trust = (ca: string): Environment => (isSecure ? { NODE_EXTRA_CA_CERTS: ca } : {});
  beforeAll(async () => {
    sentinels = await startSentinels(isSecure ? files : undefined);
    cluster = await startCluster({ processEnv: () => Promise.resolve(trust(files.ca)) }, { ...sentinels.env, ...COUNTING });
  });
  afterAll(async () => {
    await cluster.stop();
    await sentinels.stop();
  });

  const expectIndexed = async (name: string): Promise<void> => {
    await uploads.send(cluster.client, name);
    await cluster.indexed();
    expect(await cluster.client.search(`"${name}"`)).toHaveLength(1);
  };
  // The oracle reads the queue in this process, which does not know the authority: the primary has a port without TLS too.
  const expectNoneLost = async (): Promise<void> => {
    const { REDIS_SENTINEL_NAME: _name, REDIS_SENTINEL_PASSWORD: _password, ...env } = cluster.env;
    await expectNothingLost({ ...cluster, env: { ...env, REDIS_URL: (await sentinels.primary()).url } }, uploads);
  };

  it('uploads are indexed, and index:status finds the queue', async () => {
    expect(sentinels.env['REDIS_URL']).toMatch(isSecure ? /^rediss:/ : /^redis:/);
    await expectIndexed('watched');
    const { json } = await indexCommand({ ...cluster.env, ...trust(files.ca) }, 'index-status', '--json');
    expect(json[0]).toMatchObject({ queue: { waiting: 0 }, queueProblem: null });
    expect((await cluster.client.get('/health/ready')).body).toMatchObject({ status: 'ready', stores: { redis: 'up' } });
  });

  const FAULTS: [string, (server: Server) => Promise<void> | void, (server: Server) => Promise<void> | void][] = [
    ['killed', (server) => server.kill(), (server) => server.start()],
    // Afterwards, it still takes itself for the primary for a moment.
    ['suspended by SIGSTOP', (server) => server.signal('SIGSTOP'), (server) => server.signal('SIGCONT')],
  ];
  it.each(isSecure ? FAULTS.slice(0, 1) : rows(1, FAULTS))(
    'when the primary is %s, uploads succeed, are indexed by the new one, and nothing is lost',
    async (name, begin, end) => {
      const former = await sentinels.primary();
      await begin(former);
      const replaced = until('another server is the primary', async () => (await sentinels.primary()) !== former);
      await uploads.sendDuring(cluster.client, 'during the failover', replaced, 20);
      await uploads.sendMany(cluster.client, 'after the failover', 20);
      await cluster.indexed();
      await end(former);
      await expectIndexed(`both servers again, after one was ${name}`);
      expect(uploads.statusesBut(201)).toEqual([]);
      await expectNoneLost();
    },
  );

  if (isSecure)
    it('a certificate of an unknown authority is not accepted, and the command names the reason', async () => {
      const { json } = await indexCommand({ ...cluster.env, ...trust(files.otherCa) }, 'index-status', '--json');
      const { queue, queueProblem } = json[0] as { queue: unknown; queueProblem: string };
      expect(queue).toBeNull();
      expect(queueProblem).toMatch(/certificate|All sentinels are unreachable/);
    });
  else
    it('uploads are indexed while one of the sentinels is down, also by a new indexer', async () => {
      await sentinels.sentinels[0]?.kill();
      await cluster.indexer.stop();
      await cluster.indexer.start();
      await expectIndexed('without one sentinel');
      await sentinels.sentinels[0]?.start();
    });
});
