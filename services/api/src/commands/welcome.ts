import { countPending } from '@ugc/shared/outbox/backlog';
import { parseEnv } from '@ugc/shared/process/env';
import { connectPostgres, type Database } from '@ugc/shared/stores/postgres';
import { progressBar } from '@ugc/shared/process/progress-bar';
import { setTimeout as delay } from 'node:timers/promises';
import { signDevelopmentToken } from '../auth/development-token.ts';
import { loadDemo } from '../demo/load-demo.ts';
import { ApiEnv } from '../env.ts';

/** Makes a running stack pleasant to meet: a demo collection if it is empty, a token, and three lines to paste. */
const env = parseEnv(ApiEnv, process.env);
const publicUrl = process.env['PUBLIC_URL'] ?? `http://localhost:${env.PORT}`;
const database = connectPostgres({
  url: env.DATABASE_URL,
  applicationName: 'ugc-welcome',
  maxConnections: 2,
  statementTimeoutMs: 30_000,
  onIdleError: () => undefined,
});
try {
  const loaded = await load(database);
  await untilIndexed(database);
  const { userId, contentId } = await firstUserAndItem(database);
  const token = await signDevelopmentToken(process.env, { userId, hours: 24 });
  // Asked directly: the public URL need not lead anywhere from the API's own machine.
  await untilSearchable(`http://127.0.0.1:${env.PORT}`, token, loaded);
  console.log(invitation(publicUrl, token, userId, contentId));
} finally {
  await database.close();
}

async function load(database: Database): Promise<number> {
  const bar = progressBar('Loading the demo collection');
  const loaded = await loadDemo(database, (done, total) => bar.update(done, total));
  bar.end();
  return loaded;
}

async function untilIndexed(database: Database): Promise<void> {
  const bar = progressBar('Indexing                   ');
  let first = 0;
  for (;;) {
    const pending = await countPending(database);
    first = Math.max(first, pending);
    if (first > 0) bar.update(first - pending, first);
    if (pending === 0) return bar.end();
    await delay(100);
  }
}

/** What is indexed is found once Elasticsearch has refreshed, up to a second later. */
async function untilSearchable(baseUrl: string, token: string, items: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const answer = await fetch(`${baseUrl}/api/content?size=1`, { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined);
    if (answer?.ok && ((await answer.json()) as { totalElements: number }).totalElements >= items) return;
    if (performance.now() > deadline) throw new Error(`${baseUrl} does not answer; are the API and the indexer running?`);
    await delay(200);
  }
}

async function firstUserAndItem(database: Database): Promise<{ userId: number; contentId: number }> {
  const [row] = await database.query<{ user_id: number | null; content_id: number | null }>(
    `select u.user_id, c.content_id from users u left join content c on c.creator_id = u.user_id and c.deleted_at is null
     order by (c.name = 'Lighthouse at dusk') desc nulls last, c.content_id, u.user_id limit 1`,
  );
  return { userId: row?.user_id ?? 1, contentId: row?.content_id ?? 1 };
}

function invitation(baseUrl: string, token: string, userId: number, contentId: number): string {
  const bearer = `-H 'Authorization: Bearer ${token}'`;
  const upload = JSON.stringify({
    creatorId: userId,
    name: 'My first upload',
    description: 'Written a moment ago',
    version: 1,
    data: 'hello',
    tags: ['first'],
  });
  return `
The API answers at ${baseUrl} (described by ${baseUrl}/openapi.json).
A token of user ${userId} for the next 24 hours:

${token}

Search, misspelt:
curl -s '${baseUrl}/api/content?prompt=lighthuose&sort=relevance&size=3' ${bearer}

Upload:
curl -s '${baseUrl}/content' ${bearer} -H 'Content-Type: application/json' -d '${upload}'

Get one:
curl -s '${baseUrl}/api/content/${contentId}' ${bearer}
`;
}
