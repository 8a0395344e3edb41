import { createServer } from 'node:http';
import pg from 'pg';

/** The simplest program that answers `GET /api/content/{id}`: one prepared statement, without any check. */

const GET_ITEM = {
  name: 'get-item',
  text: `select c.content_id, c.creator_id, u.username, c.name, c.description, c.data, c.version, c.downloads_count,
    c.latest_downloads_count, c.avg_rating, c.created_at, c.updated_at
    from content c join users u on u.user_id = c.creator_id where c.content_id = $1`,
};

type Row = Record<string, string> & { created_at: Date; updated_at: Date };

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: Number(process.env['DATABASE_POOL_SIZE']) });

const server = createServer((request, response) => {
  const id = request.url?.slice('/api/content/'.length);
  void pool.query<Row>({ ...GET_ITEM, values: [id] }).then(({ rows }) => {
    const body = JSON.stringify(toItem(rows[0] as Row));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');

function toItem(row: Row): object {
  return {
    contentId: Number(row['content_id']),
    creatorId: Number(row['creator_id']),
    creatorName: row['username'],
    data: row['data'],
    name: row['name'],
    description: row['description'],
    version: row['version'],
    downloadsCount: Number(row['downloads_count']),
    latestDownloadsCount: Number(row['latest_downloads_count']),
    avgRating: row['avg_rating'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
