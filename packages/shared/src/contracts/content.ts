/** A content item as PostgreSQL holds it, with its creator's name. */
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
  /** Counts edits, as opposed to downloads and ratings. */
  edits: number;
  revision: number;
};

/** The columns of a StoredContent, from `content c join users u`. */
export const STORED_CONTENT = `
  c.content_id, c.creator_id, u.username as creator_name, c.name, c.description, c.data, c.tags, c.version,
  c.downloads_count, c.latest_downloads_count, c.avg_rating, c.created_at, c.updated_at, c.edits, c.revision`;
