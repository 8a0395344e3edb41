import { createCommand, EXIT, failWith, runCommand } from '@ugc/shared/cli/command';
import { printLine, printMessage, progressBar } from '@ugc/shared/cli/output';
import { endIfInvalid, readEnv } from '@ugc/shared/config/env';
import { listTargetsOf } from '@ugc/shared/indices/targets';
import type { Database } from '@ugc/shared/postgres/postgres';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { subjectsAreUserIds } from '../auth/claims.ts';
import { signDevelopmentToken } from './development-token.ts';
import { loadDemo } from './load-demo.ts';
import { ApiEnv } from '../env.ts';
import { withDatabase } from './with-database.ts';

/** If no further item becomes searchable for so long, the addresses are printed all the same. */
const PATIENCE_MS = storeTimeout(60_000);
const SAY_EVERY_MS = 10_000;
const REQUEST_TIMEOUT_MS = storeTimeout(10_000);
const POLL_EVERY_MS = 50;

const command = createCommand({
  name: 'node services/api/src/commands/welcome.ts',
  description:
    'Loads the demo collection into an empty database, waits until it is searchable or indexing stands still, and prints the address of the web page and example requests, with a token if JWT_SECRET signs it.',
  exitCodes: { [EXIT.done]: 'done', [EXIT.badResult]: 'failed', [EXIT.usage]: 'the arguments are wrong', 78: 'the configuration is wrong' },
  example: 'docker compose exec api node services/api/src/commands/welcome.ts',
}).action(run);
await runCommand(command, failWith(EXIT.badResult));

async function run(): Promise<void> {
  const env = readEnv(ApiEnv);
  const options = { url: env.DATABASE_URL, applicationName: 'ugc-welcome', maxConnections: 2, statementTimeoutMs: 30_000 };
  await withDatabase(options, (database) => welcome(database, env));
}

type Env = z.output<typeof ApiEnv>;

async function welcome(database: Database, env: Env): Promise<void> {
  const loaded = await load(database, env.CONTENT_ALIAS);
  const { userId, contentId } = await firstUserAndItem(database);
  // Nobody here can sign a token of a user if the keys, or the users, are those of a provider.
  const canSign = env.JWT_SECRET !== undefined && subjectsAreUserIds(env);
  const token = !canSign ? undefined : await signDevelopmentToken(process.env, { userId, hours: 24 }).catch(endIfInvalid);
  // PUBLIC_URL may not be reachable from the API's own machine.
  const localUrl = `http://127.0.0.1:${env.PORT}`;
  const count = async (): Promise<number> => {
    const indexed = await countIndexed({ database, alias: env.CONTENT_ALIAS }, loaded);
    return token === undefined || indexed < loaded ? indexed : countSearchable(localUrl, token);
  };
  const problem = await waitUntilSearchable(count, loaded);
  const { PUBLIC_URL: baseUrl = `http://localhost:${env.PORT}`, WEB_PAGE: hasPage } = env;
  // In the fragment, the token is not sent to the server, so no log contains it.
  if (hasPage) printLine(token === undefined ? `Open ${baseUrl}/ and ${howToSignIn(env)}.` : `Open ${baseUrl}/#token=${token}`);
  const shown = token === undefined ? providerExamples(baseUrl, env) : examples(baseUrl, token, userId, contentId);
  for (const line of shown.split('\n')) printLine(line);
  if (problem !== undefined) throw new Error(notSearchable(localUrl, problem));
}

async function load(database: Database, alias: string): Promise<number> {
  const bar = progressBar('Loading the demo collection');
  const loaded = await loadDemo({ database, alias }, bar.update);
  bar.end();
  return loaded;
}

/** Waits as long as further items become searchable. @returns what is missing then */
async function waitUntilSearchable(count: () => Promise<number>, items: number): Promise<string | undefined> {
  const bar = progressBar('Indexing                   ');
  const waiting = { most: -1, progressedAt: performance.now(), saidAt: performance.now() };
  for (;;) {
    const found = await count().catch((error: Error) => error);
    if (typeof found === 'number' && items > 0) bar.update(Math.min(found, items), items);
    const missing = typeof found === 'number' ? `${found} of ${items} items can be searched` : found.message;
    const isDone = typeof found === 'number' && found >= items;
    if (!isDone && hasPatience(waiting, typeof found === 'number' ? found : -1, missing)) {
      await delay(POLL_EVERY_MS);
      continue;
    }
    bar.end();
    return isDone ? undefined : missing;
  }
}

/** Says every few seconds what is waited for. */
function hasPatience(waiting: { most: number; progressedAt: number; saidAt: number }, found: number, missing: string): boolean {
  const now = performance.now();
  if (found > waiting.most) Object.assign(waiting, { most: found, progressedAt: now });
  if (now - waiting.saidAt > SAY_EVERY_MS) {
    printMessage(`Waiting until the demo collection is indexed: ${missing}.`);
    waiting.saidAt = now;
  }
  return now - waiting.progressedAt <= PATIENCE_MS;
}

/**
 * A refresh of the index shows within a second what has left the outbox. A list is an error until an index is complete,
 * and operators would see each.
 * @param most how many are counted
 */
async function countIndexed({ database, alias }: { database: Database; alias: string }, most: number): Promise<number> {
  if (!(await listTargetsOf({ database, alias })).some(({ role }) => role === 'search')) return 0;
  const [row] = await database.query<{ indexed: number }>(
    `select count(*)::int as indexed from
       (select from content c where not exists (select from index_outbox o where o.content_id = c.content_id) limit $1) as found`,
    [most],
  );
  return row?.indexed ?? 0;
}

async function countSearchable(baseUrl: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = await fetch(`${baseUrl}/api/content?size=1`, { headers, signal });
  if (!response.ok) throw new Error(`lists respond with ${response.status}`);
  return ((await response.json()) as { totalElements: number }).totalElements;
}

function notSearchable(baseUrl: string, missing: string): string {
  const since = `and nothing has changed for ${PATIENCE_MS / 1_000} s`;
  return `${baseUrl}: the demo collection is still being indexed (${missing}, ${since}). Are the API and the indexer running? npx pnpm index:status says more.`;
}

async function firstUserAndItem(database: Database): Promise<{ userId: number; contentId: number }> {
  const [row] = await database.query<{ userId: number | null; contentId: number | null }>(
    `select u.user_id, c.content_id from users u left join content c on c.creator_id = u.user_id and c.deleted_at is null
     where u.user_id > 0 order by (c.name = 'Lighthouse at dusk') desc nulls last, c.content_id, u.user_id limit 1`,
  );
  return { userId: row?.userId ?? 1, contentId: row?.contentId ?? 1 };
}

function howToSignIn({ OIDC_CLIENT_ID: clientId, JWT_ISSUER: issuer = 'whoever issues them' }: Env): string {
  return clientId === undefined ? `paste a token of ${issuer}` : `sign in at ${issuer}`;
}

function upload(creatorId: number | string): string {
  return JSON.stringify({
    creatorId,
    name: 'My first upload',
    description: 'Uploaded with curl',
    version: 1,
    data: 'hello',
    tags: ['first'],
  });
}

function addressesOf(baseUrl: string): string {
  return `The API runs at ${baseUrl}. Its documentation is at ${baseUrl}/docs, for generators at ${baseUrl}/openapi.json.`;
}

function examples(baseUrl: string, token: string, userId: number, contentId: number): string {
  const bearer = `-H 'Authorization: Bearer ${token}'`;
  return `
${addressesOf(baseUrl)}
A token of user ${userId}, valid for 24 hours:

${token}

Search, with a misspelt word:
curl -s '${baseUrl}/api/content?prompt=lighthuose&sort=relevance&size=3' ${bearer}

Upload:
curl -s '${baseUrl}/content' ${bearer} -H 'Content-Type: application/json' -d '${upload(userId)}'

Get one item:
curl -s '${baseUrl}/api/content/${contentId}' ${bearer}
`;
}

function providerExamples(baseUrl: string, env: Env): string {
  const bearer = `-H "Authorization: Bearer $TOKEN"`;
  const nobodyWrites = `
Whoever has a token reads. To let them upload as well, set USERS_FROM_TOKENS=true, or add each user by the
command users (docs/operating.md).
`;
  return `
${addressesOf(baseUrl)}
${env.USERS_FROM_TOKENS ? '' : nobodyWrites}
With a token, such as that which the page copies with "Copy token":
TOKEN=

Search, with a misspelt word:
curl -s '${baseUrl}/api/content?prompt=lighthuose&sort=relevance&size=3' ${bearer}

Get your user id, which uploads contain:
curl -s -X PUT '${baseUrl}/api/users/me' ${bearer}

Upload:
curl -s '${baseUrl}/content' ${bearer} -H 'Content-Type: application/json' -d '${upload('USER_ID').replace('"USER_ID"', 'USER_ID')}'
`;
}
