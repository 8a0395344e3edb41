import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import pg from 'pg';

/** The simplest program that stores an upload: one INSERT, committed by itself, without any check or outbox row. */

const INSERT_ITEM = {
  name: 'insert-item',
  text: `insert into content (creator_id, name, description, version, data, tags) values ($1, $2, $3, $4, $5, $6)
    returning content_id, created_at, updated_at`,
};

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: Number(process.env['DATABASE_POOL_SIZE']) });

const server = createServer((request, response) => {
  void json(request).then(async (upload) => {
    const { creatorId, name, description, version, data, tags } = upload as Record<string, unknown>;
    const { rows } = await pool.query({ ...INSERT_ITEM, values: [creatorId, name, description, version, data, tags] });
    const body = JSON.stringify({ ...(upload as object), ...rows[0] });
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
