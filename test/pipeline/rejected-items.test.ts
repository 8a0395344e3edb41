import type { estypes } from '@elastic/elasticsearch';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_FIELDS } from '@ugc/fields/definition';
import { checkItem } from '@ugc/items/changes/item-rules';
import { composeTexts, uploadSchema } from '@ugc/items/fields/upload-schema';
import { storableText } from '@ugc/items/fields/text';
import { toChange, type Change } from '@ugc/indexer/documents/bulk';
import { writeChanges } from '@ugc/indexer/documents/write-changes';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import fc from 'fast-check';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { resolveRejection } from '@ugc/indexer/rebuild/fill-batch';
import { createRefusalCheck } from '@ugc/indexer/targets/retire';
import { changeTargets, findTarget, setRole, setUuid } from '@ugc/shared/indices/targets';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import { indexCommand } from '../support/processes/command.ts';
import { runs } from '../support/jest/long.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { WITHOUT_LOCK, withIndexLock, rebuildIndex, removeOtherIndices, rollBack } from '../support/indices/index-lock.ts';
import { indexedContent } from '../support/indices/indexed-content.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { forgetItem, insertItems, insertPoison } from '../support/database/insert-items.ts';
import { countOutbox } from '../support/database/outbox.ts';
import { passTime } from '../support/jest/pass-time.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { startService } from '../support/processes/service.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';

const service = forAllTests(() => startService());
beforeAll(async () => {
  await insertItems(service.database, { count: 300 });
  await service.indexed();
});
// Every test starts with a single index.
beforeEach(() => removeOtherIndices(indexDeps(service)));

const searched = async (): Promise<string | undefined> => (await findTarget(service, 'search'))?.indexName;

describe('what the API accepts, the index accepts:', () => {
  const limits = defaultEnv();
  const schema = uploadSchema(limits);
  const INDEX = 'accepted-texts';
  let ids = 0;

  /** Letters that are folded to more than one, whose UTF-8 is long, that are written without blanks, or join words. */
  const SPECIAL = 'ﷲﷺﷴ㋿㍿ﬃßǄİŉäöüåđéӓёῥᾳΐ\u0344ÅӁａꜱ🅰𝓐½Ⅷ٣𝟘漢𠀀かｶー한ㅎกဃខལअঅਅஅఅאبعژհა፩Ꮳᚠⴰⵟ𐐀𞤀😀👨‍👩‍👧🇩🇪\u0301\u200d'.match(/./gsu) ?? [];
  const character = fc.oneof(
    fc.constantFrom(...SPECIAL),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((text) => storableText({ min: 1, max: 2 }).safeParse(text).success),
    fc.constantFrom(...`+#&@-./:'"_,;!?*~\\ \n\t0aZ`),
  );
  /** The same characters over and over make one long word, or many; with a blank, words. */
  const filling = fc.record({ unit: fc.array(character, { minLength: 1, maxLength: 4 }), before: fc.constantFrom('', 'ä', 'c++ ', '1') });
  type Filling = { unit: string[]; before: string };

  /** @returns a text of as many characters as the limit and the limit of the searched form allow */
  function fill({ unit, before }: Filling, limit: number): string {
    let text = [...before, ...Array.from({ length: Math.ceil(limit / unit.length) }, () => unit).flat()].slice(0, limit);
    const excess = (): number => NEWEST_RULES.fold(text.join('')).length / (2 * limit);
    while (excess() > 1) text = text.slice(0, Math.floor((text.length - 1) / excess()));
    return text.join('').normalize();
  }

  type Fillings = { name: Filling; description: Filling; tag: Filling; creatorName: Filling };
  function changeOf({ name, description, tag, creatorName }: Fillings): Change | undefined {
    const upload = {
      creatorId: 1,
      name: fill(name, limits.NAME_MAX_CHARACTERS),
      description: fill(description, limits.DESCRIPTION_MAX_CHARACTERS),
      tags: Array.from({ length: limits.TAGS_MAX }, (_, n) => `${n}${fill(tag, limits.TAG_MAX_CHARACTERS - 2)}`),
      data: fill(name, 1_000),
      version: 2_147_483_647,
    };
    const parsed = schema.safeParse(upload);
    // A text that shows nothing is no name.
    if (!parsed.success) return undefined;
    const written = composeTexts({ ...parsed.data, fileName: fill(creatorName, 200) });
    const edit = checkItem({ before: undefined, edit: written }, { limits, declared: NO_FIELDS });
    const row = indexedContent({ ...edit, contentId: (ids += 1), creatorName: fill(creatorName, 200), downloadsCount: 2 ** 53 - 1 });
    return toChange(row, { rules: NEWEST_RULES, hasData: true, definitions: NO_FIELDS });
  }

  it('texts of all scripts at the limits of all fields', async () => {
    await service.elasticsearch.indices.create({ index: INDEX, ...INDEX_BODY });
    const of = (...unit: string[]): Fillings => {
      const same = { unit, before: '' };
      return { name: same, description: same, tag: same, creatorName: same };
    };
    const umlaut = { ...of('\u{20000}'), description: { unit: ['\u{20000}'], before: 'ä' } };
    const each = fc.record({ name: filling, description: filling, tag: filling, creatorName: filling });
    await fc.assert(
      fc.asyncProperty(fc.array(each, { minLength: 8, maxLength: 8 }), async (items) => {
        const changes = items.flatMap((item) => changeOf(item) ?? []);
        const results = await writeChanges(service.elasticsearch, INDEX, changes);
        expect([...results.values()]).toEqual(changes.map(() => ({ outcome: 'done' })));
      }),
      { numRuns: runs(3, 100), examples: [[[of('ﷲ'), umlaut, ...SPECIAL.map((one) => of(one))]]], endOnFailure: true },
    );
    await service.elasticsearch.indices.delete({ index: INDEX });
  });
});

describe('an item that a new index rejects', () => {
  it('prevents the swap and is named, if the searched index holds it', async () => {
    const before = (await searched()) ?? '';
    const id = await insertPoison(service.database, { pending: false });
    await service.elasticsearch.index({ index: before, id: String(id), version: 1, version_type: 'external', document: { contentId: id } });
    const result = await indexCommand(service.env, 'index-rebuild');
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(`item ${id}: `) });
    expect(await searched()).toBe(before);
    expect((await service.client.list({ size: 1 })).status).toBe(200);
    await forgetItem(service.database, id);
    await service.elasticsearch.delete({ index: before, id: String(id), version: 2, version_type: 'external' });
  });

  it('is rejected and does not prevent the swap, if the searched index does not hold it', async () => {
    const id = await insertPoison(service.database, { pending: false });
    await rebuildIndex(indexDeps(service));
    expect(await isRejected(id)).toBe(true);
    await forgetItem(service.database, id);
  });

  it('does not retire the index if a later change of the item was written since', async () => {
    await rebuildIndex(indexDeps(service));
    const previous = (await findTarget(service, 'previous'))!;
    const id = await service.client.upload({ name: 'changed later' });
    await service.indexed();
    const rejected = { contentId: id, revision: 1, source: null };
    expect(await resolveRejection(indexDeps(service), previous, rejected, 'for the test')).toBe('complete');
    expect((await findTarget(service, 'previous'))?.retiredReason).toBe(null);
  });

  it('does not prevent the swap if it was rejected before', async () => {
    const id = await insertPoison(service.database);
    await service.indexed();
    await rebuildIndex(indexDeps(service));
    await forgetItem(service.database, id);
  });

  it('is rejected and does not stop the fill while there is no other index', async () => {
    await withIndexLock(service.database, async () => {
      const index = (await searched()) ?? '';
      await changeTargets(service.database, WITHOUT_LOCK, (tx) => setRole(tx, index, 'next'));
      const id = await insertPoison(service.database);
      await service.indexed();
      expect(await isRejected(id)).toBe(true);
      expect((await findTarget(service, 'next'))?.retiredReason).toBe(null);
      await forgetItem(service.database, id);
      await changeTargets(service.database, WITHOUT_LOCK, (tx) => setRole(tx, index, 'search'));
    });
  });
});

describe('an error that belongs to the index rejects no item, is a problem that index:status names, and holds nothing up afterwards:', () => {
  type Change = (index: string) => Promise<unknown>;
  const put =
    (setting: string, value: string | null): Change =>
    (index) =>
      service.elasticsearch.indices.putSettings({ index, settings: { [setting]: value } });
  const FAULTS: [what: string, reason: string, set: Change, mend: Change][] = [
    ['a missing pipeline', 'pipeline with id [none]', put('index.default_pipeline', 'none'), put('index.default_pipeline', null)],
    ['a missing final pipeline', 'pipeline with id [none]', put('index.final_pipeline', 'none'), put('index.final_pipeline', null)],
    ['a write block of an operator', 'index write', put('index.blocks.write', 'true'), put('index.blocks.write', null)],
    ['a block', 'index read-only', put('index.blocks.read_only', 'true'), put('index.blocks.read_only', null)],
  ];

  it.each(FAULTS)('%s', async (_, reason, set, mend) => {
    const index = (await searched()) ?? '';
    await set(index);
    const before = await countJudged();
    await insertItems(service.database, { count: 20, prefix: 'of a faulty index' });
    const alone = await service.client.upload({ name: 'alone' });
    await until('the changes were judged', async () => (await countJudged()) > before + 20);
    expect(await countOutbox(service.database, 'rejected_reason is not null')).toBe(0);
    await until('it is a problem', async () => (await problems()).some((problem) => problem.includes(index) && problem.includes(reason)));
    await until('it is counted', async () => ((await scrape(service.operationsUrl)).get('ugc_index_problems') ?? 0) > 0);
    await until('readiness is degraded', async () => (await service.client.get('/health/ready')).body.status === 'degraded');
    expect(await countOutbox(service.database, 'rejected_reason is not null')).toBe(0);
    await mend(index);
    await service.indexed();
    expect((await service.client.get(`/api/content/${alone}/index-status`)).body.status).toBe('indexed');
    expect(await problems()).toEqual([]);
    await until('it is ready', async () => (await service.client.get('/health/ready')).body.status === 'ready');
  });

  it('while an index is filled', async () => {
    const index = await findTarget(service, 'search');
    const [id = 0] = await insertItems(service.database, { count: 1, prefix: 'of an index that is filled', pending: false });
    const change = { contentId: id, revision: 1, source: JSON.stringify({ contentId: id }) };
    await put('index.default_pipeline', 'none')(index?.indexName ?? '');
    expect(await resolveRejection(indexDeps(service), index!, change, 'for the test')).toBe('refused');
    await put('index.default_pipeline', null)(index?.indexName ?? '');
    expect(await countOutbox(service.database, `content_id = ${id}`)).toBe(0);
    await forgetItem(service.database, id);
  });

  /** Counts how often a change was retried or rejected. */
  const countJudged = async (): Promise<number> => {
    const metrics = await scrape(`http://127.0.0.1:${service.indexer.operationsPort}`);
    const count = (result: string): number => metrics.get(`ugc_index_changes_total{result="${result}"}`) ?? 0;
    return count('retried') + count('rejected');
  };
  const problems = async (): Promise<string[]> =>
    ((await indexCommand(service.env, 'index-status', '--json')).json[0] as { problems: string[] }).problems;
});

describe('a previous index that refuses all changes', () => {
  const block = (index: string, setting: string, isOn: boolean): Promise<unknown> =>
    service.elasticsearch.indices.putSettings({ index, settings: { [setting]: isOn || null } });

  it.each<[string, (index: string) => Promise<unknown>]>([
    ['it is closed', (index) => service.elasticsearch.indices.close({ index })],
    ['it is read-only', (index) => block(index, 'index.blocks.read_only', true)],
  ])('is given up, so that changes are indexed, and status, metric and rollback say why: %s', async (_, refuse) => {
    await rebuildIndex(indexDeps(service));
    const { indexName = '' } = (await findTarget(service, 'previous')) ?? {};
    await refuse(indexName);
    await service.client.upload({ name: 'waits for the previous index' });
    await createRefusalCheck(0)(indexDeps(service));
    await service.indexed();
    expect((await indexCommand(service.env, 'index-status')).stdout).toContain(
      'retired: it refused changes that the searched index accepts',
    );
    await until('it is counted', async () => (await scrape(service.operationsUrl)).get('ugc_index_retired_targets') === 1);
    await expect(rollBack(indexDeps(service))).rejects.toThrow('was retired: it refused changes');
    await block(indexName, 'index.blocks.read_only', false);
  });

  it('is kept while the searched index refuses them too, and until it has refused them for minutes', async () => {
    await rebuildIndex(indexDeps(service));
    const { indexName = '' } = (await findTarget(service, 'previous')) ?? {};
    const index = (await searched()) ?? '';
    for (const name of [indexName, index]) await block(name, 'index.blocks.read_only', true);
    await createRefusalCheck(0)(indexDeps(service));
    await block(index, 'index.blocks.read_only', false);
    const check = createRefusalCheck();
    await check(indexDeps(service));
    // A long pass, between two refusals.
    passTime(200_000);
    await check(indexDeps(service));
    await block(indexName, 'index.blocks.read_only', false);
    expect((await findTarget(service, 'previous'))?.retiredReason).toBe(null);
    await service.indexed();
  });
});

describe('a rollback to the previous index', () => {
  it('fails after that index rejected an item which the searched index accepted', async () => {
    await rebuildIndex(indexDeps(service));
    const previous = (await findTarget(service, 'previous'))?.indexName ?? '';
    await recreate(previous, { ...INDEX_BODY.mappings, properties: { description: { type: 'keyword' } } });
    const id = await service.client.upload({ name: 'too long for the previous', description: 'x' });
    await service.database.query(`update content set description = repeat('x', 40000), revision = 2 where content_id = $1`, [id]);
    await service.database.transaction((tx) => markPending(tx, [{ contentId: id, revision: 2 }]));
    await service.indexed();
    expect(await service.client.search('"too long for the previous"')).toHaveLength(1);
    await expect(rollBack(indexDeps(service))).rejects.toThrow(`item ${id}: `);
  });

  it('remains possible when both indices reject an item, also repeatedly', async () => {
    await rebuildIndex(indexDeps(service));
    const id = await insertPoison(service.database);
    await service.indexed();
    await service.client.send('POST', `/api/content/${id}/downloads`);
    await service.indexed();
    expect(await isRejected(id)).toBe(true);
    expect((await findTarget(service, 'previous'))?.retiredReason).toBe(null);
    await rollBack(indexDeps(service));
    await forgetItem(service.database, id);
  });
});

async function isRejected(id: number): Promise<boolean> {
  return (await countOutbox(service.database, `content_id = ${id} and rejected_reason is not null`)) === 1;
}

/** Replaces an index with an empty one that has another mapping. */
async function recreate(index: string, mappings: estypes.MappingTypeMapping): Promise<void> {
  await withIndexLock(service.database, async () => {
    const { [index]: before } = await service.elasticsearch.indices.get({ index });
    await service.elasticsearch.indices.delete({ index });
    const { [index]: created } = await service.elasticsearch.indices
      .create({ index, mappings: { ...mappings, _meta: before?.mappings?._meta ?? {} } })
      .then(() => service.elasticsearch.indices.get({ index }));
    await setUuid(service.database, WITHOUT_LOCK, { indexName: index, uuid: created?.settings?.index?.uuid ?? '' });
  });
}
