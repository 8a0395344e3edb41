import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import type { ContentPage } from '@ugc/api/search/page';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { findTarget } from '@ugc/shared/indices/targets';
import { migrate } from '@ugc/shared/postgres/migrate';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, UgcClient } from '../../../packages/client/src/index.ts';
import { storeEveryKind, type EveryKind } from '../../support/cluster/every-kind.ts';
import { hasPopularity, knowsVisibility } from '../../support/cluster/former-release.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { hasCommit, newestRelease } from '../../run/history.ts';
import { packedClient, scoreOf, useClient, type ReleasedClient } from '../../support/cluster/released-client.ts';
import { checkOutRelease, makeNextRelease, startRelease, type RunningRelease } from '../../support/cluster/release.ts';
import { Uploads } from '../../support/cluster/uploads.ts';
import { createDatabase } from '../../support/database/database.ts';
import { insertPoison } from '../../support/database/insert-items.ts';
import { migrationsWith } from '../../support/database/made-up-migration.ts';
import { postgresToolsPath } from '../../support/database/postgres-tools.ts';
import { Client, type ApiResponse } from '../../support/http/client.ts';
import { expectProblem } from '../../support/http/problems.ts';
import { tokenOf } from '../../support/http/tokens.ts';
import { long } from '../../support/jest/long.ts';
import { until } from '../../support/jest/until.ts';
import { apiCommand, commandOf, failureOf, indexCommand, type Result } from '../../support/processes/command.ts';
import { documentedSteps, runIn } from '../../support/processes/documented-commands.ts';
import { createEnvironment, insertUsers, USERS, type Environment } from '../../support/processes/environment.ts';
import { openStores, untilIndexed, type Stores } from '../../support/processes/service.ts';
import { EmbeddingServer } from '../../support/servers/embedding-server.ts';
import { dataFolder } from '../../support/servers/data-folder.ts';

/** Items that nobody changes: every list shows exactly these. */
const STEADY = 60;
const HOT = 5;
/** Only what they mean tells which of two items belongs to it. */
const MEANT = { prompt: 'couch stand', match: 'any', sort: 'relevance' };
/** What every caller does at least in each phase. */
const ROUNDS_PER_PHASE = 15;
/** Without pauses, the callers would take the processor time that the processes need to start. */
const BETWEEN_ROUNDS_MS = 20;

/** A list that is slow so often is reported. */
const ATTEMPTS_MAX = 30;

/** The commit of the release before; until there is one, this commit. */
const before = process.env['UPGRADE_FROM'] ?? newestRelease()?.commit;
const TOOLS = await postgresToolsPath();
const noBackup = TOOLS ? '' : ' (without the backup: no pg_dump 18 on PATH, and none could be downloaded with pip)';
const title = `an upgrade from ${process.env['UPGRADE_FROM'] ?? newestRelease()?.version ?? 'this commit'} to a next release by the documented commands while callers work${noBackup}`;
const [BACKUP = '', MIGRATE = '', STATUS = ''] = documentedSteps('docs/upgrading.md', '**To upgrade,**');
const [, , ROLL_BACK = '', FINISH = '', REBUILD = ''] = documentedSteps('docs/upgrading.md', '**To return,**');
const isMissing = before !== undefined && !hasCommit(before);
/** The difference between the releases that the rule is about: the next release needs it, the release before does not know it. */
const EXPAND = { name: '900_expand.sql', text: 'alter table content add column made_up text;' };
/** Nothing uses it any more. */
const CONTRACT = 'alter table content drop column made_up;';

/** Hidden items and those that are shown again have it. */
const MODERATED = 'moderated';
/** Who is erased while processes of both releases work. */
const LEAVING = USERS['Chloé Dubois'];

/** Ids of items, in the order of the lists of `MEANT`: nobody changes them. */
type Lasting = { steady: number[]; meant: number[] };

/** Callers that upload, edit, delete and list all the time, through any of the APIs that `clients` contains. */
class Callers {
  clients: Client[] = [];
  /** The API by which items are hidden. */
  moderator: Client | undefined;
  readonly hidden: number[] = [];
  readonly shown: number[] = [];
  /** Hidden items that no list contains any more. */
  readonly unlisted = new Set<number>();
  /** The logs of the APIs, which say why a list has failed. */
  readonly logs = new Map<Client, string>();
  readonly uploads = new Uploads();
  /** The latest name of each edited item. */
  readonly edited = new Map<number, string>();
  readonly deleted: number[] = [];
  readonly problems: string[] = [];
  /** The scores that user 2 gives by the packed client of the release before. */
  readonly scores = new Map<number, number>();
  readonly #lasting: Lasting;
  readonly #released: ReleasedClient;
  /** The APIs that have ranked a list by meaning, and must go on to. */
  readonly #byMeaning = new Set<Client>();
  readonly #rounds: number[] = [];
  #phase = 'the start';
  #ended = false;
  #done: Promise<unknown> = Promise.resolve();

  constructor(lasting: Lasting, hot: number[], released: ReleasedClient) {
    this.#lasting = lasting;
    this.#released = released;
    for (const id of hot) this.edited.set(id, 'hot 0');
  }

  start(): void {
    const lists = [this.#listSteady, this.#listNewest, this.#listModerated, this.#listByMeaning, this.#walk];
    const callers = [this.#upload, this.#edit, this.#remove, this.#useReleased, ...lists, this.#moderate];
    this.#done = Promise.all(callers.map((call, n) => this.#repeat(n, call.bind(this))));
  }

  /** Waits until every caller has done its rounds, except the last one, which waits for the index. */
  async phase(name: string, rounds = ROUNDS_PER_PHASE): Promise<void> {
    const wanted = this.#rounds.slice(0, -1).map((done) => done + rounds);
    await until(`the callers continue: ${name}`, () => wanted.every((count, n) => (this.#rounds[n] ?? 0) >= count));
    await until(`every API ranks by meaning: ${name}`, () => this.clients.every((client) => this.#byMeaning.has(client)));
    this.#phase = name;
  }

  /** Waits until no caller, also not the last one, has a request under way in another API. */
  async moveTo(client: Client): Promise<void> {
    this.clients = [client];
    this.moderator = client;
    const before = [...this.#rounds];
    await until('every caller has begun another round', () => before.every((count, n) => (this.#rounds[n] ?? 0) > count));
  }

  /** Not after each phase, so that the next test finds the processes that it needs. */
  expectNoProblem(): void {
    expect({ problems: this.problems.splice(0), statuses: this.uploads.statusesBut(201) }).toEqual({ problems: [], statuses: [] });
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#done;
  }

  async #repeat(caller: number, call: (client: Client, round: number) => Promise<void>): Promise<void> {
    for (this.#rounds[caller] = 0; !this.#ended; this.#rounds[caller] += 1) {
      const round = this.#rounds[caller];
      const client = this.clients[round % this.clients.length] as Client;
      await call(client, round).catch((error: unknown) => this.#report(String(error)));
      await delay(BETWEEN_ROUNDS_MS);
    }
  }

  #note(what: string, { status, text }: { status: number; text: string }, expected = 200): void {
    if (status !== expected) this.#report(`${what} returned ${status}: ${text}`);
  }

  #report(problem: string): void {
    this.problems.push(`after the phase ${this.#phase}: ${problem}`);
  }

  async #upload(client: Client, round: number): Promise<void> {
    await this.uploads.send(client, `uploaded ${round}`);
  }

  async #edit(client: Client, round: number): Promise<void> {
    const ids = [...this.edited.keys()];
    const id = ids[round % ids.length] ?? 0;
    const response = await client.send('PATCH', `/api/content/${id}`, { name: `hot ${round}` });
    this.#note('an edit', response);
    if (response.status === 200) this.edited.set(id, `hot ${round}`);
  }

  async #remove(client: Client, round: number): Promise<void> {
    const id = await client.upload({ name: `removed ${round}` });
    this.#note('a deletion', await client.send('DELETE', `/api/content/${id}`), 204);
    this.deleted.push(id);
  }

  /** Hides an item while another change of it is under way, and shows every second one again. */
  async #moderate(client: Client, round: number): Promise<void> {
    const { moderator } = this;
    if (!moderator) return;
    const id = await client.upload({ name: `${MODERATED} ${round}`, tags: [MODERATED] });
    const edit = client.send('PATCH', `/api/content/${id}`, { description: 'just before, or refused' });
    const response = await hideOrShow('PUT', moderator, id);
    this.#note('hiding', response, 204);
    if (![200, 403, 404].includes((await edit).status)) this.#note('an edit of a hidden item', await edit);
    if (round % 2 === 0) {
      this.hidden.push(id);
      if (response.headers.has('preference-applied')) this.unlisted.add(id);
    } else {
      this.#note('showing', await hideOrShow('DELETE', moderator, id), 204);
      this.shown.push(id);
    }
  }

  async #listModerated(client: Client): Promise<void> {
    const unlisted = new Set(this.unlisted);
    const listed = (await this.#list(client, { tags: MODERATED, size: 200 })).filter(({ contentId }) => unlisted.has(contentId));
    if (listed.length > 0) this.#report(`a list contains hidden items: ${listed.map(({ contentId }) => contentId).join(', ')}`);
  }

  async #listSteady(client: Client): Promise<void> {
    const ids = (await this.#list(client, { prompt: 'lighthouse', sort: 'contentId,asc', size: 100 })).map(({ contentId }) => contentId);
    if (String(ids) !== String(this.#lasting.steady)) this.#report(`a search found ${ids.length} items`);
  }

  async #listNewest(client: Client): Promise<void> {
    await this.#list(client, { sort: 'createdAt,desc', size: 20 });
  }

  /** The same items by words alone, as an API does that has just started. */
  async #listByMeaning(client: Client): Promise<void> {
    const { status, headers, body } = await this.#read(client, MEANT);
    if (status !== 200) return;
    const ids = body.content.map(({ contentId }) => contentId);
    if (headers.get('search-ranking') === 'semantic') this.#byMeaning.add(client);
    else if (this.#byMeaning.has(client)) this.#report('a list is not ranked by meaning any more');
    else ids.sort((a, b) => this.#lasting.meant.indexOf(a) - this.#lasting.meant.indexOf(b));
    if (String(ids) !== String(this.#lasting.meant)) this.#report(`a list by meaning has ${String(ids)}`);
  }

  /** Each page by the next API, as a load balancer leads to them: both releases read the places of the other one. */
  async #walk(client: Client, round: number): Promise<void> {
    const ids: number[] = [];
    let after: string | undefined;
    for (let page = round; page === round || after !== undefined; page += 1) {
      const next = this.clients[page % this.clients.length] ?? client;
      const { status, body } = await this.#read(next, { prompt: 'lighthouse', size: STEADY / 3, totals: 'false', include: 'next', ...(after !== undefined && { after }) }); // prettier-ignore
      if (status !== 200) return;
      ids.push(...body.content.map(({ contentId }) => contentId));
      after = (body as { next?: string | null }).next ?? undefined;
    }
    if (String(ids.toReversed()) !== String(this.#lasting.steady)) this.#report(`a walk found ${ids.length} items`);
  }

  async #useReleased(client: Client, round: number): Promise<void> {
    const rated = [...this.edited.keys()][round % HOT] ?? 0;
    const { steady } = this.#lasting;
    await useClient(await this.released(client, 2), round, { steady, prompt: 'lighthouse', rated });
    this.scores.set(rated, scoreOf(round));
  }

  /** The packed client of the release before, which repeats nothing but slow lists. */
  async released(client: Client, user: number): Promise<UgcClient> {
    const patient: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      return this.#patiently(
        client,
        () => fetch(request.clone()),
        (response) => response.clone().text(),
      );
    };
    return new this.#released.UgcClient({ baseUrl: client.baseUrl, token: await tokenOf(user), maxRetries: 0, fetch: patient });
  }

  async #list(client: Client, parameters: Record<string, string | number>): Promise<{ contentId: number }[]> {
    const { status, body } = await this.#read(client, parameters);
    return status === 200 ? body.content : [];
  }

  async #read(client: Client, parameters: Record<string, string | number>): Promise<ApiResponse<ContentPage>> {
    const response = await this.#patiently(
      client,
      () => client.list(parameters),
      ({ text }) => text,
    );
    this.#note('a list', response);
    return response;
  }

  async #patiently<T extends { status: number }>(
    client: Client,
    send: () => Promise<T>,
    textOf: (response: T) => string | Promise<string>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const response = await send();
      if (response.status !== 500 || attempt === ATTEMPTS_MAX || !(await this.#wasSlow(client, await textOf(response)))) return response;
    }
  }

  /** On a busy machine, Elasticsearch takes longer than a list may. */
  async #wasSlow(client: Client, text: string): Promise<boolean> {
    const log = this.logs.get(client) ?? '';
    const { requestId } = JSON.parse(text) as { requestId: string };
    const find = (): string | undefined =>
      readFileSync(log, 'utf8')
        .split('\n')
        .find((line) => line.includes(requestId) && line.includes('"err"'));
    await until('the failure is logged', () => find() !== undefined);
    return find()?.includes('"TimeoutError"') ?? false;
  }
}

/** Waits for the index a moment only: beside a large backlog of the release before, hidden items do not go first. */
async function hideOrShow(method: 'PUT' | 'DELETE', client: Client, id: number): Promise<ApiResponse> {
  const headers = { prefer: 'wait=1', 'content-type': 'application/json' };
  const body = JSON.stringify({ reason: 'a test' });
  const token = await tokenOf(1, { scope: 'content:moderate' });
  return client.request(method, `/api/content/${id}/hidden`, { token, headers, ...(method === 'PUT' && { body }) });
}

const group = isMissing ? describe.skip : long.describe;
group(isMissing ? `${title} (skipped: this clone lacks the commit ${before}: git fetch --unshallow)` : title, () => {
  let env: Environment;
  let folder: string;
  let stores: Stores;
  let checkout: string;
  let next: { checkout: string; version: string };
  let old: RunningRelease;
  let present: RunningRelease | undefined;
  let callers: Callers;
  let oldClient: Client;
  let kinds: EveryKind;
  let embeddings: EmbeddingServer;
  let released: ReleasedClient;
  /** What the release before has: the next one refuses the rest until the upgrade has ended. */
  const knows = { visibility: false, popularity: false };
  /** Of the items that nobody changes, in the release before. */
  let vectors: unknown[];
  const erased: number[] = [];
  const drafts: number[] = [];
  /** Of the release before, and repeated with the next one. */
  const repeated = { key: 'before-the-upgrade', id: 0 };
  /** Elasticsearch rejects its change. */
  let rejected: number;
  const oldCommand = (name: string, ...args: string[]): Promise<Result> => commandOf(checkout, env, name, ...args);
  const command = (name: string, ...args: string[]): Promise<Result> => apiCommand(env, name, ...args);
  const clientOf = ({ apis }: RunningRelease): Client => new Client(apis[0]?.url ?? '');
  const rebuild = async (...args: string[]): Promise<void> => expect(failureOf(await indexCommand(env, 'index-rebuild', ...args))).toBe('');

  beforeAll(async () => {
    checkout = before === undefined ? CHECKOUT : await checkOutRelease(before);
    released = before === undefined ? { UgcClient, ProblemError } : await packedClient(before);
    const databaseUrl = await createDatabase();
    embeddings = await EmbeddingServer.start();
    ends.push(() => embeddings.stop());
    const ranking = { EMBEDDINGS_URL: embeddings.url, EMBEDDINGS_TIMEOUT_MS: '30000' };
    env = { ...(await createEnvironment(ranking)), LOG_LEVEL: 'info', DATABASE_URL: databaseUrl };
    expect(failureOf(await commandOf(checkout, env, 'migrate'))).toBe('');
    await insertUsers(databaseUrl);
    folder = await dataFolder('upgrade-');
    next = await makeNextRelease(join(folder, 'next'), EXPAND);
    old = await startRelease(checkout, join(folder, 'old'), env);
    stores = openStores(env);
    ends.push(
      () => stores.close(),
      () => old.stop(),
    );
    oldClient = clientOf(old);
    knows.visibility = knowsVisibility((await (await fetch(`${old.url}/openapi.json`)).json()) as object);
    callers = await startCallers(oldClient);
  });
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  async function startCallers(client: Client): Promise<Callers> {
    await until('lists return 200', async () => (await client.list()).status === 200);
    const steady: number[] = [];
    const hot: number[] = [];
    for (let n = 0; n < STEADY; n++) steady.push(await client.upload({ name: `lighthouse ${n}` }));
    for (let n = 0; n < HOT; n++) hot.push(await client.upload({ name: 'hot 0' }));
    for (let n = 0; n < HOT; n++) erased.push(await client.upload({ name: 'leaving' }, LEAVING));
    const standFor = (what: string) => client.upload({ name: 'stand', description: `for the ${what} and nothing else` });
    const automobile = await standFor('automobile');
    const meant = [await standFor('settee'), automobile];
    kinds = await storeEveryKind(client, oldCommand, folder);
    await untilIndexed(stores, env);
    // The present commands cannot read the targets of the index before the migrations.
    const [searched] = Object.values(await stores.elasticsearch.indices.getMapping({ index: stores.alias }));
    knows.popularity = hasPopularity(Number(searched?.mappings._meta?.['version']));
    lasting.push(...steady, ...meant);
    await until('they are embedded', async () => (vectors = await vectorsOf(lasting)).length === lasting.length);
    const started = new Callers({ steady, meant }, hot, released);
    started.clients = [client];
    started.moderator = client;
    started.logs.set(client, old.apiLog);
    await leaveUnfinished(client);
    started.start();
    ends.push(() => started.end());
    return started;
  }

  const lasting: number[] = [];
  const vectorsOf = (ids: number[]) =>
    stores.database.query('select content_id, generation, md5(vector) from embedding where content_id = any($1) order by 1, 2', [ids]);

  /** What an upgrade finds besides items: a rejected change, the previous index of a rebuild, and an idempotency key. */
  async function leaveUnfinished(client: Client): Promise<void> {
    rejected = await insertPoison(stores.database);
    const isRejected = async () => (await stores.database.query('select from index_outbox where rejected_reason is not null')).length > 0;
    await until('the change is rejected', isRejected);
    await run(checkout, REBUILD);
    expect(await stores.database.query(`select from index_target where role = 'previous'`)).toHaveLength(1);
    repeated.id = (await uploadAgain(client)).body.content_id;
  }

  const uploadAgain = (client: Client) => client.tryUpload({ name: 'repeated' }, 1, { 'idempotency-key': repeated.key });

  async function run(release: string, documented: string): Promise<void> {
    expect({ documented, failure: failureOf(await runIn(release, documented, env)) }).toEqual({ documented, failure: '' });
  }

  async function documentsOf(ids: number[]): Promise<unknown[]> {
    const { docs } = await stores.elasticsearch.mget({ index: stores.alias, ids: ids.map(String) });
    return docs.map((document) => ('_source' in document ? document._source : document));
  }

  /** As one that was stored before the release before was started again. */
  async function storeDraft(): Promise<number> {
    const [row] = await stores.database.query<{ contentId: number }>(
      `with stored as (
         insert into content (creator_id, name, description, data, version, deleted_at) values (1, 'hippogriff', '', '', 1, 'infinity')
         returning content_id, creator_id
       )
       insert into unpublished_content (content_id, creator_id, kind, publish_at, may_publish)
       select content_id, creator_id, 'draft', 'epoch'::timestamptz + interval '1000 years', true from stored returning content_id`,
    );
    return row?.contentId ?? 0;
  }

  /** Neither what a moderator does by the release before, nor a rebuild by this one, shows a draft. */
  async function expectNeverShown(...clients: Client[]): Promise<void> {
    const [shown = 0] = drafts;
    await hideOrShow('DELETE', oldClient, shown);
    expect(await stores.database.query(`select from content where deleted_at = 'infinity' and content_id = any($1)`, [drafts])).toHaveLength(drafts.length); // prettier-ignore
    for (const client of clients) expect(await client.search('hippogriff')).toEqual([]);
  }

  it('fails no request while a backup is made and the migrations add what the new release needs', async () => {
    await callers.phase('with the old release alone');
    expect([BACKUP, MIGRATE, STATUS]).toEqual([expect.stringContaining('backup'), expect.stringContaining('migrate'), expect.any(String)]);
    if (TOOLS) expect(failureOf(await runIn(checkout, `${BACKUP} ${join(folder, 'before.dump')}`, { ...env, PATH: TOOLS }))).toBe('');
    // The changes from here on are pending while both releases start to work side by side.
    await run(checkout, 'npx pnpm index:pause');
    const migrated = await runIn(next.checkout, MIGRATE, env);
    expect({ failure: failureOf(migrated), text: migrated.stdout + migrated.stderr }).toEqual({
      failure: '',
      text: expect.stringContaining('900_expand'),
    });
    await callers.phase('with the new schema');
    callers.expectNoProblem();
  });

  it('fails no request while old and new processes work side by side, and when the old ones stop', async () => {
    present = await startRelease(next.checkout, join(folder, 'new'), env);
    ends.unshift(() => present?.stop() ?? Promise.resolve());
    const client = clientOf(present);
    callers.logs.set(client, present.apiLog);
    callers.clients = [oldClient, client];
    expect(await stores.database.query('select from index_outbox where rejected_reason is null limit 1')).toHaveLength(1);
    await run(next.checkout, 'npx pnpm index:resume');
    callers.moderator = client;
    expect(await uploadAgain(client)).toMatchObject({ status: 201, body: { content_id: repeated.id } });
    await kinds.expectKept(oldClient, oldCommand);
    await kinds.expectKept(client, command);
    await expectEditedByEitherRelease(client);
    drafts.push(await storeDraft(), await storeDraft());
    await expectNeverShown(oldClient, client);
    const erasure = apiCommand(env, 'users', 'erase', String(LEAVING));
    await callers.phase('with both releases', 2 * ROUNDS_PER_PHASE);
    expect(failureOf(await erasure)).toBe('');
    await until('items were hidden and shown', () => callers.hidden.length > 0 && callers.shown.length > 0);
    await expectNewKindsOfErrors(client);
    callers.clients = [client];
    // No request is under way in the old API after one round of every caller.
    await callers.phase('without the old API', 1);
    await old.stop();
    await callers.phase('with the new release alone');
    callers.expectNoProblem();
    expect(await (await fetch(`${present.operationsUrl}/metrics`)).text()).toContain(`ugc_build_info{version="${next.version}"`);
    let status: Result | undefined;
    await until('the documented command sees no problem', async () => {
      status = await runIn(next.checkout, STATUS, env);
      return status.code === 0;
    }).catch(() => expect(failureOf(status as Result)).toBe(''));
  });

  /** As clients whose requests a load balancer leads to one release and then to the other. */
  async function expectEditedByEitherRelease(client: Client): Promise<void> {
    const id = await client.upload({ name: 'edited by both' });
    for (const [reader, editor] of [
      [oldClient, client],
      [client, oldClient],
    ] as const) {
      const etag = (await reader.get(`/api/content/${id}`)).headers.get('etag') ?? '';
      expect((await editor.send('PATCH', `/api/content/${id}`, { description: etag }, 1, { 'if-match': etag })).status).toBe(200);
      expect((await reader.send('PATCH', `/api/content/${id}`, { description: '' }, 1, { 'if-match': etag })).status).toBe(412);
    }
  }

  /** A program that was compiled with the client of the release before reads them as those that it knows. */
  async function expectNewKindsOfErrors(client: Client): Promise<void> {
    const ugc = await callers.released(client, 1);
    if (!knows.visibility) await expectUnfinished(client, ugc);
    if (!knows.popularity) await expectRebuildDue(ugc);
  }

  async function expectUnfinished(client: Client, ugc: UgcClient): Promise<void> {
    expectProblem(await client.tryUpload({ visibility: 'draft' }), 503, 'upgrade-unfinished');
    const item = { creatorId: 1, name: 'draft', description: '', version: 1, data: '' };
    const unfinished = { status: 503, code: 'upgrade-unfinished', errors: [] };
    await expect(ugc.upload({ ...item, visibility: 'draft' })).rejects.toMatchObject(unfinished);
  }

  async function expectRebuildDue(ugc: UgcClient): Promise<void> {
    const due = { status: 503, code: 'rebuild-due', errors: [{ parameter: 'sort', detail: expect.any(String) }] };
    await expect(ugc.list({ sort: ['trending'] })).rejects.toMatchObject(due);
    await expect(ugc.list({ sort: ['trending'] })).rejects.toBeInstanceOf(released.ProblemError);
  }

  it('fails no request while the index is rebuilt, rolled back and finished', async () => {
    await rebuild();
    await callers.phase('with the new index');
    await rebuild('--rollback');
    await callers.phase('with the old index');
    await rebuild('--rollback');
    await rebuild('--finish');
    expect((await findTarget(stores, 'search'))?.mappingVersion).toBe(MAPPING_VERSION);
    await callers.phase('with the new index alone');
    await kinds.expectKept(callers.clients[0] as Client, command);
    callers.expectNoProblem();
  });

  it('keeps drafts, fields and what is popular, which begin after the upgrade from 1.0.0, and loses none of them by a rebuild', async () => {
    const client = callers.clients[0] as Client;
    const path = join(folder, 'fields.json');
    await writeFile(path, JSON.stringify({ players: { type: 'number' } }));
    expect(failureOf(await apiCommand(env, 'fields', 'apply', path))).toBe('');
    const [draft, scheduled, popular] = [
      await client.upload({ visibility: 'draft', name: 'hippogriff' }),
      await client.upload({ visibility: 'draft', name: 'basilisk', publishAt: '2999-01-01T00:00:00Z' }),
      await client.upload({ name: 'phoenix' }),
    ];
    const edited = async () => client.send('PATCH', `/api/content/${popular}`, { fields: { players: 4 } });
    await until('the field is declared', async () => (await edited()).status === 200 && (await fieldsOf(client, popular))?.players === 4);
    // More than has happened to any item before, which a release that counts it has counted.
    const [fan] = (await apiCommand(env, 'users', 'add', 'Fan', '--json')).json as { userId: number }[];
    expect((await client.send('PUT', `/api/content/${popular}/rating`, { score: 5 }, fan?.userId)).status).toBe(204);
    expect((await client.send('POST', `/api/content/${popular}/downloads`, undefined, 2)).status).toBe(204);
    await stores.database.query('update unpublished_content set publish_at = now() where content_id = $1', [scheduled]);
    await rebuild();
    await until('the scheduled item is public', async () => (await client.search('basilisk')).length === 1);
    expect((await client.list({ where: 'players:4' })).body.content.map(({ contentId }) => contentId)).toEqual([popular]);
    await until(
      'a list shows what is popular',
      async () => (await client.list({ sort: 'trending' })).body.content[0]?.contentId === popular,
    );
    expect((await client.get(`/api/content/${draft}`)).body.visibility).toBe('draft');
    expect(await client.search('hippogriff')).toEqual([]);
    drafts.push(draft);
    await expectReadByReleased(client, { draft, popular });
    await callers.phase('with drafts and fields');
    callers.expectNoProblem();
  });

  /** The packed client of the release before reads, edits and rates what that release did not have, and takes nothing away. */
  async function expectReadByReleased(client: Client, { draft, popular }: { draft: number; popular: number }): Promise<void> {
    const ugc = await callers.released(client, 1);
    expect((await ugc.getContent({ path: { id: draft } })).data).toMatchObject({ contentId: draft, name: 'hippogriff' });
    expect(await ugc.edit(draft, () => ({ description: 'edited' }))).toMatchObject({ contentId: draft, description: 'edited' });
    expect((await client.get(`/api/content/${draft}`)).body.visibility).toBe('draft');
    expect(await ugc.edit(popular, ({ version }) => ({ version: version + 1 }))).toMatchObject({ contentId: popular, version: 2 });
    expect(await fieldsOf(client, popular)).toEqual({ players: 4 });
    const list = { prompt: 'phoenix', sort: ['relevance' as const], highlight: true, explain: true, include: ['tags' as const] };
    expect((await ugc.list(list)).content).toMatchObject([{ contentId: popular, highlights: { name: ['<mark>phoenix</mark>'] } }]);
    const other = await callers.released(client, 2);
    await expect(other.getContent({ path: { id: draft } })).rejects.toMatchObject({ status: 404, code: 'item-unknown' });
    await expect(other.rateContent({ path: { id: draft }, body: { score: 3 } })).rejects.toMatchObject({ code: 'item-unknown' });
    const wrong = { status: 400, code: 'invalid-body', errors: [{ pointer: '#/fields/players', detail: expect.any(String) }] };
    await expect(ugc.edit(popular, () => ({ fields: { players: 'four' } }))).rejects.toMatchObject(wrong);
  }

  async function fieldsOf(client: Client, id: number): Promise<{ players?: number } | undefined> {
    return (await client.get(`/api/content/${id}?include=fields`)).body.fields;
  }

  it('fails no request on the documented way back to the release before, which shows no draft, and forward again', async () => {
    const client = callers.clients[0] as Client;
    const [unlisted, scheduled, withdrawn] = [
      await client.upload({ visibility: 'unlisted', name: 'hippogriff' }),
      await client.upload({ visibility: 'draft', name: 'hippogriff', publishAt: '2999-01-01T00:00:00Z' }),
      await client.upload({ name: 'hippogriff' }),
    ];
    expect((await client.send('PATCH', `/api/content/${withdrawn}`, { visibility: 'draft' })).status).toBe(200);
    drafts.push(unlisted, scheduled, withdrawn);
    const fields = await client.upload({ name: 'griffin', fields: { players: 3 } });
    // All indices are of the next release, so that the release before has to fill one.
    await run(next.checkout, FINISH);
    await goBack('without an index of the release before', async () => run(checkout, REBUILD));
    expect((await oldClient.send('PATCH', `/api/content/${fields}`, { name: 'griffin again' })).status).toBe(200);
    await goForward();
    await rebuild();
    expect(await fieldsOf(callers.clients[0] as Client, fields)).toEqual({ players: 3 });
    await run(next.checkout, ROLL_BACK);
    await run(next.checkout, FINISH);
    await goBack('with the index that it had', () => Promise.resolve());
    await goForward();
    await rebuild();
    await callers.phase('forward again');
    callers.expectNoProblem();
    const seen = async (id: number) => (await callers.clients[0]?.get(`/api/content/${id}`))?.body.visibility as string;
    expect(await Promise.all([unlisted, scheduled, withdrawn].map(seen))).toEqual(['unlisted', 'draft', 'draft']);
  });

  /** The release before alone does what its operators, moderators and creators can do with a draft, which 1.0.0 takes for hidden. */
  async function goBack(phase: string, afterwards: () => Promise<void>): Promise<void> {
    old = await startRelease(checkout, join(folder, `back-${phase.length}`), env, 1);
    ends.unshift(() => old.stop());
    oldClient = clientOf(old);
    callers.logs.set(oldClient, old.apiLog);
    await callers.moveTo(oldClient);
    await present?.stop();
    await afterwards();
    for (const id of drafts) {
      await hideOrShow('DELETE', oldClient, id);
      const edit = { name: 'hippogriff', ...(!knows.visibility && { visibility: 'public' }) };
      const edited = (await oldClient.send('PATCH', `/api/content/${id}`, edit)).status;
      const read = (await oldClient.get(`/api/content/${id}`)).status;
      expect({ id, edited, read }).toEqual(knows.visibility ? { id, edited: 200, read: 200 } : { id, edited: 403, read: 404 });
    }
    await run(checkout, 'npx pnpm users rename 1 Renamed');
    await run(checkout, 'npx pnpm index:audit --repair');
    await callers.phase(`back and alone, ${phase}`);
    await expectNeverShown(oldClient);
    await kinds.expectKept(oldClient, oldCommand);
    callers.expectNoProblem();
  }

  async function goForward(): Promise<void> {
    present = await startRelease(next.checkout, join(folder, `forward-${ends.length}`), env);
    ends.unshift(() => present?.stop() ?? Promise.resolve());
    const client = clientOf(present);
    callers.logs.set(client, present.apiLog);
    await callers.phase('forward, beside the release before');
    await callers.moveTo(client);
    await old.stop();
    await callers.phase('forward, alone');
    await kinds.expectKept(client, command);
    callers.expectNoProblem();
  }

  it('fails no request while the migrations of the release after it remove what is not used any more', async () => {
    const dir = await migrationsWith(EXPAND.name, EXPAND.text);
    await writeFile(join(dir, '901_contract.sql'), CONTRACT);
    await migrate(env['DATABASE_URL'] ?? '', { dir });
    await callers.phase('without the column');
    callers.expectNoProblem();
  });

  it('keeps the vectors of the release before, and embeds no text twice', async () => {
    expect(await vectorsOf(lasting)).toEqual(vectors);
    const names = embeddings.texts.map((text) => text.split('\n')[0]).filter((name) => /^lighthouse \d+$/.test(name ?? ''));
    expect(names.toSorted()).toEqual(Array.from({ length: STEADY }, (_, n) => `lighthouse ${n}`).toSorted());
    expect(await stores.database.query('select from embedding_model')).toHaveLength(1);
  });

  it('loses no upload, edit, rating and deletion, and brings back no item that is hidden or of an erased user', async () => {
    await callers.end();
    const { apis, indexers } = present ?? old;
    // The index has something of the one that a moderator has shown by the release before.
    for (const id of drafts)
      expect((await (callers.clients[0] as Client).send('PATCH', `/api/content/${id}`, { visibility: 'public' })).status).toBe(200);
    await expectNothingLost(
      { ...stores, env, client: callers.clients[0] as Client, apis, indexers, indexed: () => untilIndexed(stores, env) },
      callers.uploads,
      [rejected],
    );
    const rows = await stores.database.query<{ contentId: number; name: string; deleted: boolean }>(
      'select content_id, name, deleted_at is not null as deleted from content',
    );
    const byId = new Map(rows.map((row) => [row.contentId, row]));
    expect([...callers.edited].map(([id]) => [id, byId.get(id)?.name])).toEqual([...callers.edited]);
    expect(callers.deleted.filter((id) => !byId.get(id)?.deleted)).toEqual([]);
    expect(callers.hidden.filter((id) => !byId.get(id)?.name.startsWith(MODERATED))).toEqual([]);
    const given = await stores.database.query<{ contentId: number; score: number }>(
      'select content_id, score from rating where user_id = 2',
    );
    const scores = new Map(given.map(({ contentId, score }) => [contentId, score]));
    expect([...callers.scores].map(([id]) => [id, scores.get(id)])).toEqual([...callers.scores]);
    const gone = [...callers.hidden, ...erased, ...kinds.gone];
    expect(await vectorsOf(gone)).toEqual([]);
    expect(await documentsOf(gone)).toEqual(gone.map((contentId) => ({ contentId, deleted: true })));
    expect(await documentsOf(callers.shown)).toMatchObject(callers.shown.map((contentId) => ({ contentId, tags: [MODERATED] })));
    expect(failureOf(await indexCommand(env, 'index-audit'))).toBe('');
  });
});
