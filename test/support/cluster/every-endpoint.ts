import type { ApiResponse, Client } from '../http/client.ts';
import { fieldsOf } from './uploads.ts';

/** The responses of the endpoints that read, that write in a transaction, and that write with one statement. */
type Responses = { read: ApiResponse[]; written: ApiResponse[]; counted: ApiResponse[]; slowestMs: number };

/** Sends more concurrent requests than there are connections, to every endpoint that needs PostgreSQL. */
export async function requestEveryEndpoint(client: Client, id: number): Promise<Responses> {
  const path = `/api/content/${id}`;
  const startedAt = performance.now();
  const reads = () => [client.get(path), client.get(`${path}/index-status`), client.get(`${path}/rating`)];
  const writes = () => [
    client.tryUpload(fieldsOf('not stored')),
    client.send('PATCH', path, { name: 'not stored' }),
    client.send('DELETE', path),
    client.send('PUT', `${path}/rating`, { score: 5 }, 2),
  ];
  const repeated = Array.from({ length: 6 }, () => undefined);
  const [read, written, counted] = await Promise.all([
    Promise.all(repeated.flatMap(reads)),
    Promise.all(repeated.flatMap(writes)),
    Promise.all(repeated.map(() => client.send('POST', `${path}/downloads`))),
  ]);
  return { read, written, counted, slowestMs: performance.now() - startedAt };
}
