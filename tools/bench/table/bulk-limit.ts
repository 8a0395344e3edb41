import { INDEXED_CONTENT, type IndexedContent } from '@ugc/shared/contracts/content';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { toChange } from '@ugc/indexer/documents/bulk';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cluster } from '../../../test/support/cluster/cluster.ts';
import { until } from '../../../test/support/jest/until.ts';

const READ_BATCH = 2_000;
const INDEX = 'limit-of-bulk';
const PROGRAM = fileURLToPath(new URL('../limits/bulk.ts', import.meta.url));
/** The merges of ten million items take more than ten minutes. */
const IDLE_WITHIN_MS = 3_600_000;

/** Documents per request, and requests at the same time. */
type Shape = { documents: number; connections: number };
const SHAPES = [500, 1_000, 2_000].flatMap((documents) => [1, 2, 3].map((connections): Shape => ({ documents, connections })));
const TRIAL_DOCUMENTS = 10_000;

/** Writes documents by plain `_bulk`. An index of its own has the mapping and the settings of ours. */
export class BulkLimit {
  readonly #cluster: Cluster;
  #shape = SHAPES[0] as Shape;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Chooses the fastest of several bulk sizes and numbers of connections, by the first items after this one. */
  async choose(afterContentId: number): Promise<Shape> {
    const file = await prepareDocuments(this.#cluster, afterContentId, TRIAL_DOCUMENTS);
    let fastest = { shape: this.#shape, ms: Infinity };
    for (const shape of SHAPES) {
      this.#shape = shape;
      await this.prepare();
      const startedAt = performance.now();
      await once(this.start(file), 'exit');
      const ms = performance.now() - startedAt;
      if (ms < fastest.ms) fastest = { shape, ms };
    }
    return (this.#shape = fastest.shape);
  }

  /** Makes an empty index. */
  async prepare(): Promise<void> {
    const { elasticsearch } = this.#cluster;
    await this.remove();
    await elasticsearch.indices.create({ index: INDEX, ...INDEX_BODY });
    await untilIdle(elasticsearch);
  }

  start(file: string, index = INDEX): ChildProcess {
    const { documents, connections } = this.#shape;
    const env = { BULK_FILE: file, BULK_INDEX: index, BULK_DOCUMENTS: String(documents), BULK_CONNECTIONS: String(connections) };
    const { ELASTICSEARCH_URL = '' } = this.#cluster.env;
    return execFile(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM], { env: { ...env, ELASTICSEARCH_URL } });
  }

  async remove(): Promise<void> {
    await this.#cluster.elasticsearch.indices.delete({ index: INDEX, ignore_unavailable: true });
  }
}

/** Merges of what was written before would take time of what is measured next. */
export async function untilIdle(elasticsearch: Elasticsearch): Promise<void> {
  await until(
    'no segments are merged',
    async () => {
      const { _all: all } = await elasticsearch.indices.stats({ metric: 'merge' });
      return all.total?.merges?.current === 0;
    },
    IDLE_WITHIN_MS,
  );
}

/** @returns a file of bulk operations that index, with new ids, the documents that the indexer builds of the items after this one */
export async function prepareDocuments({ database, dataDir }: Cluster, afterContentId: number, limit = Infinity): Promise<string> {
  const path = join(dataDir, 'documents.ndjson');
  const file = await open(path, 'w');
  for (let after = afterContentId, left = limit; left > 0; left -= READ_BATCH) {
    const rows = await database.query<IndexedContent>(
      `select ${INDEXED_CONTENT} from content c join users u on u.user_id = c.creator_id
       where c.content_id > $1 order by c.content_id limit $2`,
      [after, Math.min(left, READ_BATCH)],
    );
    if (rows.length === 0) break;
    await file.write(
      rows
        .map(
          (row) =>
            `{"index":{"_id":"limit-${row.contentId}"}}\n${toChange(row, { rules: NEWEST_RULES, hasData: true, definitions: new Map() }).source}\n`,
        )
        .join(''),
    );
    after = rows.at(-1)?.contentId ?? after;
  }
  await file.close();
  return path;
}
