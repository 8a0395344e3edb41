import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serverAccount } from '@ugc/local-stack/account';
import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Cluster, startCluster } from '../support/cluster/cluster.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';
import { manifest, type PodSpec } from '../support/kubernetes/manifests.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { apiCommand, indexCommand } from '../support/processes/command.ts';
import type { Environment } from '../support/processes/environment.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { type Certificate, createAuthority, issueCertificate, issueClientCertificate, TlsProxy } from '../support/servers/tls.ts';

const run = promisify(execFile);

describe('with certificates of the servers', () => {
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
});

describe('with certificates of the clients', () => {
  /** Plain connections are for the test itself. Those with TLS need a certificate whose common name is that of the user. */
  const HBA = ['hostnossl all all 127.0.0.1/32 trust', 'hostssl all all 127.0.0.1/32 trust clientcert=verify-full', ''].join('\n');

  let folder: string;
  let authority: Certificate;
  let cluster: Cluster;
  let proxy: TlsProxy;
  /** The stores as the services reach them; without certificates of clients. */
  let secured: Environment;
  /** Parameters of DATABASE_URL, and variables. */
  let own: { database: string; elasticsearch: Environment };
  const uploads = new Uploads();

  async function write(name: string, content: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  }

  /** PostgreSQL reads its key only if no other account can. */
  async function writeForServer(name: string, content: string): Promise<string> {
    const path = await write(name, content);
    const account = serverAccount();
    if (account) await chown(path, account.uid, account.gid);
    return path;
  }

  async function writeClient(name: string, issuer = authority): Promise<{ cert: string; key: string }> {
    const { cert, key } = await issueClientCertificate(issuer, name);
    return { cert: await write(`${name}.pem`, cert), key: await write(`${name}.key`, key) };
  }

  async function postgresSettings(): Promise<Record<string, string>> {
    const { cert, key } = await issueCertificate(authority);
    return {
      ssl: 'on',
      ssl_cert_file: await writeForServer('server.pem', cert),
      ssl_key_file: await writeForServer('server.key', key),
      ssl_ca_file: await writeForServer('clients.pem', authority.cert),
      hba_file: await writeForServer('pg_hba.conf', HBA),
    };
  }

  beforeAll(async () => {
    folder = await dataFolder('certificates-');
    authority = await createAuthority('the authority of these tests');
    const ca = await write('ca.pem', authority.cert);
    const client = await writeClient('ugc');
    own = {
      database: `&sslcert=${client.cert}&sslkey=${client.key}`,
      elasticsearch: { ELASTICSEARCH_CLIENT_CERT_FILE: client.cert, ELASTICSEARCH_CLIENT_KEY_FILE: client.key },
    };
    cluster = await startCluster({
      postgres: { settings: await postgresSettings() },
      processEnv: async (env) => {
        proxy = await TlsProxy.before(env['ELASTICSEARCH_URL'] ?? '', await issueCertificate(authority), authority);
        secured = {
          DATABASE_URL: `${env['DATABASE_URL']}?sslmode=verify-full&sslrootcert=${ca}`,
          ELASTICSEARCH_URL: `https://127.0.0.1:${proxy.port}`,
          NODE_EXTRA_CA_CERTS: ca,
        };
        return { ...secured, DATABASE_URL: secured['DATABASE_URL'] + own.database, ...own.elasticsearch };
      },
    });
  });
  afterAll(async () => {
    await cluster.stop();
    await proxy.close();
  });

  const withOwn = (database = own.database, elasticsearch = own.elasticsearch): Environment => ({
    ...cluster.env,
    ...secured,
    DATABASE_URL: secured['DATABASE_URL'] + database,
    ...elasticsearch,
  });

  it('with a certificate of the client for PostgreSQL and Elasticsearch, uploads are stored and found, and commands work', async () => {
    await uploads.send(cluster.client, 'with a certificate');
    await cluster.indexed();
    expect(await cluster.client.search('"with a certificate"')).toHaveLength(1);
    expect((await indexCommand(withOwn(), 'index-status', '--json')).json[0]).toMatchObject({ indicesProblem: null });
    expect(await apiCommand(withOwn(), 'migrate')).toMatchObject({ code: 0, stdout: 'The schema is up to date.\n' });
    await expectNothingLost(cluster, uploads);
  });

  describe('a clear sentence says what is wrong', () => {
    const SETTINGS = /Correct .*sslcert and sslkey/;
    it('if PostgreSQL demands a certificate and gets none', async () => {
      for (const result of [await indexCommand(withOwn(''), 'index-status'), await apiCommand(withOwn(''), 'migrate')]) {
        expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/\(user ugc, database/) });
        expect(result.stderr).toMatch(SETTINGS);
      }
    });

    it('if PostgreSQL gets that of another user, or of another authority', async () => {
      const stranger = await writeClient('stranger');
      const forged = await writeClient('ugc-forged', await createAuthority('another authority'));
      for (const { cert, key } of [stranger, forged]) {
        const result = await indexCommand(withOwn(`&sslcert=${cert}&sslkey=${key}`), 'index-status');
        expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(SETTINGS) });
      }
    });

    it('if Elasticsearch demands a certificate and gets none', async () => {
      const { json } = await indexCommand(withOwn(own.database, {}), 'index-status', '--json');
      const problem = expect.stringMatching(
        /If it demands a client certificate, correct ELASTICSEARCH_CLIENT_CERT_FILE and ELASTICSEARCH_CLIENT_KEY_FILE/,
      );
      expect(json[0]).toMatchObject({ indicesProblem: problem });
    });

    it('at the start, if a file is missing or is not the key of the certificate', async () => {
      const other = await writeClient('other');
      const { ELASTICSEARCH_CLIENT_CERT_FILE: cert = '', ELASTICSEARCH_CLIENT_KEY_FILE: key = '' } = own.elasticsearch;
      const ROWS: [Environment, string][] = [
        [withOwn(`&sslcert=${cert}`), 'DATABASE_URL: sslcert needs sslkey, the path of its key'],
        [withOwn(`&sslcert=${cert}&sslkey=/none`), 'DATABASE_URL: sslkey: the file /none cannot be read'],
        [
          withOwn(`&sslcert=${cert}&sslkey=${other.key}`),
          `DATABASE_URL: sslkey: the file ${other.key} is not the key of the certificate in`,
        ],
        [withOwn(`&sslcert=${key}&sslkey=${cert}`), 'DATABASE_URL: sslcert and sslkey must name a certificate and its key, both in PEM'],
        [withOwn('', { ELASTICSEARCH_CLIENT_KEY_FILE: key }), 'ELASTICSEARCH_CLIENT_KEY_FILE needs ELASTICSEARCH_CLIENT_CERT_FILE'],
        [
          withOwn('', { ...own.elasticsearch, ELASTICSEARCH_CLIENT_CERT_FILE: '/none' }),
          'ELASTICSEARCH_CLIENT_CERT_FILE: the file /none cannot be read',
        ],
        [withOwn('', { ...own.elasticsearch, ELASTICSEARCH_URL: 'http://h' }), 'are used with https: only'],
      ];
      for (const [env, message] of ROWS)
        expect(await indexCommand(env, 'index-status')).toMatchObject({ code: 78, stderr: expect.stringContaining(message) });
    });
  });

  it('the backup and the restore on Kubernetes accept the certificate of PostgreSQL if the service does', async () => {
    const database = `${cluster.env['DATABASE_URL']}?sslmode=verify-full${own.database}`;
    const authorities = join(folder, 'authorities');
    const env = { ...process.env, DATABASE_URL: database, NODE_EXTRA_CA_CERTS: secured['NODE_EXTRA_CA_CERTS'] };
    const here = (text = ''): string => text.replaceAll('/authorities', authorities);
    await mkdir(authorities);
    for (const name of ['ugc-backup', 'ugc-restore']) {
      const { initContainers = [], containers } = manifest('CronJob', name).spec.jobTemplate.spec.template.spec as PodSpec;
      for (const { command = [] } of initContainers) await run(process.execPath, command.slice(1).map(here), { env });
      const [chooseAuthority = ''] = containers[0]?.command?.[2]?.split('\n') ?? [];
      const { stdout } = await run('sh', ['-c', `${here(chooseAuthority)}\nprintf %s "$PGSSLROOTCERT"`], { env });
      expect((await readFile(stdout, 'utf8')).match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(100);
      const client = new pg.Client(`${database}&sslrootcert=${stdout}`);
      await client.connect();
      await client.end();
      await rm(stdout);
    }
  });

  it('an API without certificates responds to clients, and its log names what the stores demand', async () => {
    const { NODE_EXTRA_CA_CERTS: _ca, ...urls } = secured;
    const api = await startApiAlone({ ...urls, LOG_LEVEL: 'info' });
    await until('the log names the certificate', () => api.logged.some((line) => line.includes('valid client certificate')));
    expect((await api.client.get('/health/ready')).body).toMatchObject({ status: 'unavailable', stores: { postgres: 'down' } });
    await api.stop();
  });
});
