import { embedderFiles } from '@ugc/local-stack/embedder-files';
import { cacheFolder } from '@ugc/local-stack/folders';
import type { Server } from '@ugc/local-stack/server';
import { CHECKOUT, serviceProcess } from '@ugc/local-stack/service-process';
import { UsageError } from '@ugc/shared/cli/command';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { readEmbeddings } from '@ugc/shared/embeddings/status';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Titled } from '../../test/relevance/known-items.ts';
import { Client } from '../../test/support/http/client.ts';
import { freePorts } from '../../test/support/cluster/cluster-servers.ts';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { until } from '../../test/support/jest/until.ts';
import type { Environment } from '../../test/support/processes/environment.ts';
import { storeContent } from '../../test/support/database/stored-content.ts';

/** An API whose index contains the documents of a collection. The field `data` of an item is `doc:<id>`. */
export type LoadedStack = {
  client: Client;
  elasticsearch: Elasticsearch;
  env: Environment;
  /** Undefined if lists are ranked by words only, or if another process keeps it running. */
  embedder?: Server | undefined;
  stop(): Promise<void>;
};

/** The configuration of a stack that is kept running, in the format of `node --env-file`. */
const KEPT_ENV = join(CHECKOUT, '.local', 'bench-relevance', 'env');
const EMBEDDED_WITHIN_MS = 3_600_000;

/** Starts API and indexer, and indexes the documents. An empty title or text becomes "-", which is no term. */
export async function startLoaded(documents: Titled[], isSemantic: boolean): Promise<LoadedStack> {
  const embedder = isSemantic ? await startEmbedder() : undefined;
  const cluster = await startCluster({}, embedder ? { EMBEDDINGS_URL: `${embedder.url}/v1` } : {});
  const items = documents.map(({ id, title, text }) => ({ name: title || '-', description: text || '-', data: `doc:${id}` }));
  await storeContent(cluster.database, items);
  await cluster.indexed();
  if (!embedder) return cluster;
  await untilRankedByMeaning(cluster);
  const stop = () => cluster.stop().finally(() => embedder.stop());
  return { ...cluster, embedder, stop };
}

async function untilRankedByMeaning({ database, client }: Cluster): Promise<void> {
  const isEmbedded = async (): Promise<boolean> => {
    const status = await readEmbeddings(database);
    return status !== undefined && status.searchedModel !== null && status.embedded + status.refused === status.items;
  };
  await until('every item has a vector', isEmbedded, EMBEDDED_WITHIN_MS);
  const ranking = async () => (await client.list({ prompt: 'the', sort: 'relevance' })).headers.get('search-ranking');
  await until('lists are ranked by meaning', async () => (await ranking()) === 'semantic');
}

async function startEmbedder(): Promise<Server> {
  const { runtime, model } = await embedderFiles(join(CHECKOUT, 'services/embedder/runtime'), cacheFolder());
  const [port = 0] = await freePorts(1);
  const env = { EMBEDDER_PORT: String(port), EMBEDDER_RUNTIME: runtime, EMBEDDER_MODEL: model };
  const dataDir = join(dirname(KEPT_ENV), 'embedder');
  const embedder = serviceProcess({ name: 'Embedder', main: 'services/embedder/src/main.ts', dataDir, port, env });
  await embedder.start();
  return embedder;
}

/** Lets `startOnKept` of another process use the stack until the signal aborts. */
export async function keepUntil(signal: AbortSignal, { env }: LoadedStack): Promise<void> {
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
  await mkdir(dirname(KEPT_ENV), { recursive: true });
  await writeFile(KEPT_ENV, lines.join(''), { mode: 0o600 });
  await once(signal, 'abort');
  await rm(KEPT_ENV, { force: true });
}

/** Starts an API of the present source on the stores of a stack that is kept running. @throws UsageError without one */
export async function startOnKept(): Promise<LoadedStack> {
  const env = parseEnv(await readKeptEnv()) as Environment;
  const [port = 0, operationsPort = 0] = await freePorts(2);
  const api = serviceProcess({
    name: 'API',
    main: 'services/api/src/main.ts',
    dataDir: join(dirname(KEPT_ENV), 'api'),
    port,
    env: { ...env, PORT: String(port), OPERATIONS_PORT: String(operationsPort) },
  });
  await api.start();
  const elasticsearch = connectElasticsearch(env['ELASTICSEARCH_URL'] ?? '', 20_000);
  const stop = async (): Promise<void> => {
    await elasticsearch.close();
    await api.stop();
  };
  return { client: new Client(api.url), elasticsearch, env, stop };
}

async function readKeptEnv(): Promise<string> {
  return readFile(KEPT_ENV, 'utf8').catch((cause: unknown) => {
    throw new UsageError('no stack is kept running: start one with --keep', { cause });
  });
}
