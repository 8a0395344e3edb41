export type StoredContent = {
  content_id: number;
  creator_id: number;
  creator_name: string;
  name: string;
  description: string;
  data: string;
  tags: string[];
  version: number;
  downloads_count: number;
  latest_downloads_count: number;
  avg_rating: number;
  created_at: Date;
  updated_at: Date;
  /** The number of edits. Downloads and ratings raise the revision only. */
  edits: number;
  revision: number;
};

/** Columns of `content c join users u`. */
export const STORED_CONTENT = `
  c.content_id, c.creator_id, u.username as creator_name, c.name, c.description, c.data, c.tags, c.version,
  c.downloads_count, c.latest_downloads_count, c.avg_rating, c.created_at, c.updated_at, c.edits, c.revision`;

export type IndexedContent = StoredContent & { deleted_at: Date | null };
export const INDEXED_CONTENT = `${STORED_CONTENT}, c.deleted_at`;

/** The size of the long texts of `content c` in the rows before a row. Texts that are stored apart are not read for it. */
export function precedingBytes(order: string): string {
  return `coalesce(sum(octet_length(c.data) + octet_length(c.description))
    over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`;
}
