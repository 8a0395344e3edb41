import { progressBar } from '@ugc/shared/cli/output';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { Database } from '@ugc/shared/postgres/postgres';
import pg from 'pg';
import type { Cluster } from '../../../test/support/cluster/cluster.ts';
import { until } from '../../../test/support/jest/until.ts';
import { startIndexCommand } from '../../../test/support/processes/command.ts';
import type { Environment } from '../../../test/support/processes/environment.ts';
import { creatorName, FIRST_CREATOR, pictureOf, Site, type SiteRow } from './site.ts';

const BATCH = 4_000;
const CREATOR_BATCH = 20_000;
const REBUILT_WITHIN_MS = 36_000_000;
/** Other programs may be busy. The client does not wait longer for one request than for others. */
const PATIENT_MS = 600_000;

export type Filled = Pick<Cluster, 'database' | 'elasticsearch' | 'env'>;
export type FillOptions = {
  /** Whether the items have values of declared fields. */
  hasFields?: boolean;
  /** Starts `index-rebuild` of the source whose API searches the items. */
  startCommand?: typeof startIndexCommand;
};

/**
 * Fills an empty database and its index with a collection like that of a site, whose ids are 1 to this number: the rows by
 * plain inserts, then the index by `index-rebuild`. What is there already stays, so that a call that was stopped continues.
 */
export async function fillCollection(cluster: Filled, items: number, options: FillOptions = {}): Promise<void> {
  await fillRows(cluster, items, options);
  const { count } = await cluster.elasticsearch.count({ index: cluster.env['CONTENT_ALIAS'] ?? '' });
  if (count < items) await fillIndex(cluster, options);
}

/** Only the rows. */
export async function fillRows({ database, env }: Filled, items: number, { hasFields = false }: FillOptions = {}): Promise<void> {
  const [row] = await database.query<{ last: number }>('select coalesce(max(content_id), 0)::bigint as last from content');
  const present = row?.last ?? 0;
  if (present >= items) return;
  const site = new Site(items);
  await insertCreators(database, site.creators);
  const insert = await insertOf(database);
  const bar = progressBar('Inserting');
  let written: Promise<unknown> = Promise.resolve();
  for (let first = present + 1; first <= items; first += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, items + 1 - first) }, (_, n) => first + n);
    // Items are made while those before them are written.
    const rows = ids.map((id) => site.rowOf(id, hasFields));
    await written;
    bar.update(first - 1, items);
    written = insert(rows);
  }
  await written;
  bar.end();
  await database.query(`select setval(pg_get_serial_sequence('content', 'content_id'), $1)`, [items]);
  await vacuum(env);
}

/** A rebuild that was interrupted continues. The index before it is removed, which would get all changes too. */
async function fillIndex({ env }: Filled, { startCommand = startIndexCommand }: FillOptions): Promise<void> {
  const quick = { INDEX_FILL_CONCURRENCY: '2', ...env };
  const run = async (...args: string[]): Promise<boolean> => {
    const { process: command, result } = startCommand(quick, 'index-rebuild', '--json', ...args);
    command.stderr?.pipe(process.stderr);
    return (await result).code === 0;
  };
  // The indexer may hold the lock. PostgreSQL may have another port than before: then the index seems to be of another database.
  await until('the index is built', () => run(), REBUILT_WITHIN_MS, 5_000);
  await until('the index before it is removed', () => run('--finish'));
}

/** The caller closes it. */
export function patientClient({ env }: Pick<Filled, 'env'>): Elasticsearch {
  return connectElasticsearch(env['ELASTICSEARCH_URL'] ?? '', PATIENT_MS);
}

async function insertCreators(database: Database, creators: number): Promise<void> {
  for (let first = 0; first < creators; first += CREATOR_BATCH) {
    const names = Array.from({ length: Math.min(CREATOR_BATCH, creators - first) }, (_, n) => creatorName(first + n));
    await database.query(
      `insert into users (user_id, username, credential)
       select $1::bigint + n - 1, name, 'creator|' || name from unnest($2::text[]) with ordinality creator(name, n)
       on conflict do nothing`,
      [FIRST_CREATOR + first, names],
    );
  }
}

/** @returns what inserts rows in one statement. An older release lacks some of the columns. */
async function insertOf(database: Database): Promise<(rows: SiteRow[]) => Promise<unknown>> {
  const present = await database.query<{ columnName: string }>(
    `select column_name from information_schema.columns where table_name = 'content' and table_schema = current_schema()`,
  );
  const names = new Set(present.map(({ columnName }) => columnName));
  return async (rows) => {
    const columns = Object.keys(rows[0] ?? {}).filter((column) => names.has(column));
    const pictures = rows.flatMap(({ content_id: id }) => {
      const bytes = pictureOf(Number(id));
      return bytes === undefined ? [] : [{ id: Number(id), bytes }];
    });
    await database.query(
      `with items as (
         insert into content (${columns.join(', ')}) overriding system value
         select ${columns.join(', ')} from json_populate_recordset(null::content, $1) returning content_id
       )
       insert into content_thumbnail (content_id, media_type, bytes)
       select content_id, 'image/png', decode(bytes, 'hex') from items
       join unnest($2::bigint[], $3::text[]) picture(id, bytes) on id = content_id`,
      [JSON.stringify(rows), pictures.map(({ id }) => id), pictures.map(({ bytes }) => bytes)],
    );
  };
}

/** Otherwise autovacuum does it in the middle of a measurement. It takes longer than other statements may. */
async function vacuum({ DATABASE_URL }: Environment): Promise<void> {
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}
