import type { Values } from '@ugc/fields/values';
import type { Database } from '@ugc/shared/postgres/postgres';

export type StoredFields = {
  creatorId?: number;
  name?: string;
  description?: string;
  data?: string;
  tags?: string[];
  fileName?: string;
  /** The values of declared fields. */
  fields?: Values;
  version?: number;
  downloads?: number;
  latestDownloads?: number;
  heatDay?: number | null;
  heatWeek?: number | null;
  /** The scores. */
  ratings?: number[];
  createdAt?: string;
  updatedAt?: string;
};

const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** Inserts items with any counters and times, and puts them into the outbox. @returns their ids */
export async function storeContent(database: Database, items: StoredFields[]): Promise<number[]> {
  // A schema of an earlier release is without these columns.
  const hasHeat = items.some(({ heatDay, heatWeek }) => (heatDay ?? heatWeek ?? null) !== null);
  const columns = items.map((item) => ({
    creator_id: item.creatorId ?? 1,
    name: item.name ?? 'item',
    description: item.description ?? '',
    data: item.data ?? '',
    tags: item.tags ?? [],
    file_name: item.fileName ?? null,
    fields: item.fields ?? {},
    version: item.version ?? 1,
    downloads_count: item.downloads ?? 0,
    latest_downloads_count: item.latestDownloads ?? 0,
    ...(hasHeat && { heat_day: item.heatDay ?? null, heat_week: item.heatWeek ?? null }),
    rating_sum: (item.ratings ?? []).reduce((sum, rating) => sum + rating, 0),
    rating_count: item.ratings?.length ?? 0,
    created_at: item.createdAt ?? CREATED_AT,
    updated_at: item.updatedAt ?? item.createdAt ?? CREATED_AT,
  }));
  const names = Object.keys(columns[0] ?? {}).join(', ');
  return database.transaction(async (tx) => {
    const ids: number[] = [];
    for (const row of columns) {
      const [stored] = await tx.query<{ contentId: number }>(
        `insert into content (${names}) select ${names} from jsonb_populate_record(null::content, $1) returning content_id`,
        [JSON.stringify(row)],
      );
      ids.push(stored?.contentId ?? NaN);
    }
    await tx.query(`insert into index_outbox (content_id, revision) select unnest($1::bigint[]), 1`, [ids]);
    return ids;
  });
}

export async function countContent(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>('select count(*) from content');
  return row?.count ?? NaN;
}
