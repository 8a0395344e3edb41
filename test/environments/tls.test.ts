import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';
import type { Environment } from '../support/processes/environment.ts';
import { createAuthority, issueCertificate, TlsProxy, type Certificate } from '../support/servers/tls.ts';

const STORES = ['DATABASE_URL', 'REDIS_URL', 'ELASTICSEARCH_URL'] as const;
type Proxies = Record<(typeof STORES)[number], TlsProxy>;

let folder: string;
let authority: Certificate;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tls-'));
  authority = await createAuthority('the authority of these tests');
  await writeFile(join(folder, 'ca.pem'), authority.cert);
});
afterAll(() => rm(folder, { recursive: true }));

async function startTlsProxies(env: Environment): Promise<Proxies> {
  const certificate = await issueCertificate(authority);
  const proxies = await Promise.all(STORES.map(async (name) => [name, await TlsProxy.before(env[name] ?? '', certificate)] as const));
  return Object.fromEntries(proxies) as Proxies;
}

/** The URLs of the proxies, with TLS. */
function secureUrls(env: Environment, proxies: Proxies): Environment {
  const urls = STORES.map((name): [string, string] => {
    const url = new URL((env[name] ?? '').replace(/^redis:/, 'rediss:').replace(/^http:/, 'https:'));
    url.port = String(proxies[name].port);
    if (name === 'DATABASE_URL') url.searchParams.set('sslmode', 'verify-full');
    return [name, url.href];
  });
  return Object.fromEntries(urls);
}

describe('with TLS to all stores, and the certificate of its authority in NODE_EXTRA_CA_CERTS', () => {
  let cluster: Cluster;
  let proxies: Proxies;
  beforeAll(async () => {
    cluster = await startCluster({
      processEnv: async (env) => {
        proxies = await startTlsProxies(env);
        return { ...secureUrls(env, proxies), NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
      },
    });
  });
  afterAll(async () => {
    await cluster.stop();
    await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
  });

  async function expectIndexed(name: string): Promise<void> {
    await cluster.client.upload({ name });
    await cluster.indexed();
    expect(await cluster.client.search(name)).toHaveLength(1);
  }

  it('an upload is stored and found', () => expectIndexed('encrypted'));

  it('uploads go on with a renewed certificate, without a restart', async () => {
    const renewed = await issueCertificate(authority);
    for (const proxy of Object.values(proxies)) proxy.renew(renewed);
    await until('an upload is stored', async () => (await cluster.client.tryUpload({ name: 'renewed' })).status === 201);
    await until('lists return 200', async () => (await cluster.client.list()).status === 200);
    await cluster.indexed();
    expect((await cluster.client.search('renewed')).length).toBeGreaterThan(0);
  });

  const REFUSED: [string, () => Promise<Certificate>][] = [
    ['of another authority', async () => issueCertificate(await createAuthority('another authority'))],
    ['that has expired', () => issueCertificate(authority, -3_600_000)],
  ];
  it.each(REFUSED.flatMap(([what, issue]) => STORES.map((name) => [what, name, issue] as const)))(
    'a certificate %s is not accepted for %s',
    async (_, name, issue) => {
      proxies[name].renew(await issue());
      await until('the store counts as unavailable', async () => (await upOf(name)) === 0);
      proxies[name].renew(await issueCertificate(authority));
      await until('the store counts as available', async () => (await upOf(name)) === 1);
    },
  );

  const UP = { DATABASE_URL: 'ugc_postgres_up', REDIS_URL: 'ugc_redis_up', ELASTICSEARCH_URL: 'ugc_elasticsearch_up' };
  const upOf = async (name: (typeof STORES)[number]) => (await scrape(cluster.operationsUrl)).get(UP[name]);
});
