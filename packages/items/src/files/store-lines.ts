import type { Definitions } from '@ugc/fields/definition';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import { seesEarlierProcess } from '@ugc/shared/postgres/earlier-processes';
import type { Tx } from '@ugc/shared/postgres/postgres';
import { eraseItems } from '../changes/change-content.ts';
import { checkItems, type Answer, type AskedRules, type Checked } from '../changes/item-rules.ts';
import type { Edit } from '../fields/upload-schema.ts';
import type { Written } from '../changes/written-fields.ts';
import type { UploadLimits } from '../fields/limits.ts';
import type { ErrorDetail } from '../problems/problem.ts';
import { editItems, insertItems, lockItems, type LockedItem, type Target } from './change-items.ts';
import { countersOf, newsOf, updateCounters, withOwnRatings, type IgnoredField, type Update } from './counters.ts';
import { blockedAmong } from '../people/blocked-users.ts';
import { findCreators, type Creator } from './find-creators.ts';
import { missingFields, type ImportLine } from './import-line.ts';
import { isPublic } from './unpublished-line.ts';
import { claimNewItems, findKnownItems, rememberLines, type KnownItem } from './known-items.ts';

/** `skipped`: the item was removed here, and stays so. `ignored`: nothing of what the line says is taken. */
export type Result = 'created' | 'changed' | 'unchanged' | 'ignored' | 'skipped' | 'deleted';
/** `isBlocked`: the creator of the item is. `ignored`: what only a new item takes, and this one has otherwise. */
export type Outcome =
  { result: Result; contentId?: number | undefined; isBlocked?: boolean; ignored?: IgnoredField[] } | { errors: ErrorDetail[] };

/** What the batches before would have stored: new items by their external ids, and the names of users by credential. */
export type DryRun = { newItems: Map<string, { isBlocked: boolean }>; usernames: Map<string, string> };

/**
 * What the batches before have told of the file. `namesUsers`: it has lines of users. `skippedItems`: the external ids of items
 * that were not stored, since their creators were erased here. `ownItems`: the ids of items that an export of this database has
 * named by their ids: the line of an item tells whether it still has the id, and that of a rating does not.
 */
export type FileSoFar = { namesUsers: boolean; skippedItems: Set<string>; ownItems: Set<number> };

/** `prefix`: see `ownPrefix`. `dryRun`: if the transaction is rolled back whatever the outcome. */
export type StoreOptions = {
  limits: UploadLimits;
  declared: Definitions;
  prefix: string;
  updatesCounters: boolean;
  file: FileSoFar;
  dryRun?: DryRun | undefined;
};

/**
 * Stores lines that have different external ids. A line that was stored changes nothing when it is stored again.
 * @returns the outcome of each line, in their order · @throws errors of the database, also one that a single line causes
 */
export async function storeLines(tx: Tx, lines: ImportLine[], options: StoreOptions): Promise<Outcome[]> {
  const known = await findKnownItems(tx, lines, options.prefix);
  for (const { isOwn, isOther, contentId } of known.values()) if (isOwn && !isOther) options.file.ownItems.add(contentId);
  const outcomes: Outcomes = new Map();
  for (const line of lines) {
    const item = options.dryRun?.newItems.get(line.externalId);
    if (item) outcomes.set(line, outcomeAfterNew(line, item, options));
  }
  const isNew = (line: ImportLine): boolean => !line.isDeleted && !known.has(line.externalId) && !outcomes.has(line);
  const created = await createItems(tx, lines.filter(isNew), options, outcomes);
  const others = lines.filter((line) => !outcomes.has(line));
  // Another import may have stored some of them meanwhile.
  const isStale = others.some((line) => !line.isDeleted && !known.has(line.externalId));
  const current = isStale ? await findKnownItems(tx, others, options.prefix) : known;
  const changed = await changeItems(tx, targetsOf(others, current, options, outcomes), options, outcomes);
  await markPending(tx, [...created, ...changed]);
  return lines.map((line) => outcomes.get(line) ?? { result: 'unchanged' });
}

type Outcomes = Map<ImportLine, Outcome>;

/** The outcome, in a dry run, of a line whose item an earlier line would have created. */
function outcomeAfterNew(line: ImportLine, { isBlocked }: { isBlocked: boolean }, rules: AskedRules): Outcome {
  if (line.isDeleted) return { result: 'deleted' };
  // What a new item must have is not asked of its later lines.
  const errors = isBlocked ? [OF_BLOCKED_USER] : errorsOf(checkLines([{ line, before: {} }], rules).get(line));
  return errors.length > 0 ? { errors } : { result: 'changed' };
}

async function createItems(tx: Tx, lines: ImportLine[], options: StoreOptions, outcomes: Outcomes): Promise<ItemRevision[]> {
  if (lines.length === 0) return [];
  const answers = checkLines(lines.map((line) => ({ line, before: undefined })), options); // prettier-ignore
  const refused = await refusedVisibility(tx, lines);
  const complete = lines.filter((line) => {
    const errors = [...missingFields(line), ...errorsOf(answers.get(line)), ...(isPublic(line) ? [] : refused)];
    if (errors.length > 0) outcomes.set(line, { errors });
    return errors.length === 0;
  });
  const creators = await creatorsOf(tx, complete, options, outcomes);
  const claimed = await claimNewItems(tx, [...creators.keys()]);
  const items = claimed.map((item) => ({ ...item, ...(creators.get(item.line) ?? NOBODY) }));
  for (const { line, contentId, isBlocked } of items) outcomes.set(line, { result: 'created', contentId, isBlocked });
  const valid = items.flatMap(({ line, ...item }) => editsOf(answers.get(line)).map((edit) => ({ ...item, line: { ...line, edit } })));
  return insertItems(tx, valid);
}

async function creatorsOf(
  tx: Tx,
  lines: ImportLine[],
  { file, dryRun }: StoreOptions,
  outcomes: Outcomes,
): Promise<Map<ImportLine, Creator>> {
  const creatorOf = await findCreators(tx, lines, { usernames: dryRun?.usernames, skipsErased: file.namesUsers });
  const creators = new Map<ImportLine, Creator>();
  for (const line of lines) {
    const found = creatorOf(line);
    if (found === 'erased') {
      outcomes.set(line, { result: 'skipped' });
      file.skippedItems.add(line.externalId);
    } else if ('creatorId' in found) creators.set(line, found);
    else outcomes.set(line, { errors: [found] });
  }
  return creators;
}

/** A process of 1.0.0 would export such an item as a public one. */
async function refusedVisibility(tx: Tx, lines: ImportLine[]): Promise<ErrorDetail[]> {
  return !lines.every(isPublic) && (await seesEarlierProcess(tx)) ? [BESIDE_EARLIER] : [];
}

const BESIDE_EARLIER = {
  pointer: '#/visibility',
  detail: 'is accepted when every process of release 1.0.0 has ended; import the line again then',
};

/** Every line that was claimed has a creator. */
const NOBODY: Creator = { creatorId: NaN, isBlocked: false };

const OF_BLOCKED_USER = {
  pointer: '#/externalId',
  detail: 'is that of an item of a blocked user, which only a line with deleted changes; npx pnpm users unblock ends the block',
};

const OTHER_ITEM = { pointer: '#/externalId', detail: 'is the id of another item: its creator or createdAt is not that of the line' };

/** The outcome without a change of the item; undefined if it is to be changed or deleted. */
function outcomeWithoutChange(line: ImportLine, item: KnownItem | undefined): Outcome | undefined {
  if (!item || (line.isDeleted && item.isGone)) return { result: 'unchanged', contentId: item?.contentId };
  if (item.isGone) return { result: 'skipped', contentId: item.contentId };
  return item.isOther ? { errors: [OTHER_ITEM] } : undefined;
}

function targetsOf(lines: ImportLine[], known: Map<string, KnownItem>, { updatesCounters }: StoreOptions, outcomes: Outcomes): Target[] {
  return lines.flatMap((line): Target[] => {
    const item = known.get(line.externalId);
    const isSame = item?.lineHash?.equals(line.hash) === true;
    const outcome =
      outcomeWithoutChange(line, item) ?? (isSame && !updatesCounters ? { result: 'unchanged', contentId: item.contentId } : undefined);
    if (outcome) outcomes.set(line, outcome);
    return outcome || !item ? [] : [{ line, contentId: item.contentId, importedDownloads: item.importedDownloads, isSame }];
  });
}

async function changeItems(tx: Tx, targets: Target[], options: StoreOptions, outcomes: Outcomes): Promise<ItemRevision[]> {
  if (targets.length === 0) return [];
  const stored = await lockItems(tx, targets);
  const blocked = await blockedAmong(tx, [...new Set([...stored.values()].map(({ creatorId }) => creatorId))]);
  const edits = targets.filter(({ line, isSame }) => !line.isDeleted && !isSame);
  const answers = checkLines(edits.map(({ line, contentId }) => ({ line, before: stored.get(contentId) })), options); // prettier-ignore
  const present = targets.filter((target) => {
    const outcome = outcomeOfLocked(target, stored.get(target.contentId), { blocked, answers });
    if (outcome) outcomes.set(target.line, outcome);
    return !outcome;
  });
  const changed = present.flatMap((target) => editsOf(answers.get(target.line)).map((edit) => ({ ...target, edit })));
  const edited = new Map((await editItems(tx, changed, stored)).map((item) => [item.contentId, item]));
  const erased = await eraseItems(
    tx,
    present.flatMap(({ line, contentId }) => (line.isDeleted ? [contentId] : [])),
  );
  for (const { line, contentId } of present) if (line.isDeleted) outcomes.set(line, { result: 'deleted', contentId });
  const kept = present.filter(({ line }) => !line.isDeleted);
  const items = new Map(
    (await withOwnRatings(tx, kept, stored)).map((item) => [item.contentId, { ...item, ...edited.get(item.contentId) }]),
  );
  const updates = options.updatesCounters ? countersOf(kept, items) : new Map<number, Update>();
  for (const target of kept) {
    const { line, contentId } = target;
    const update = updates.get(contentId) ?? {};
    const ignored = newsOf(target, items.get(contentId)).filter((field) => !(field in update));
    const isChanged = edited.has(contentId) || updates.has(contentId);
    outcomes.set(line, { result: isChanged ? 'changed' : ignored.length > 0 ? 'ignored' : 'unchanged', contentId, ignored });
  }
  const counted = await updateCounters(tx, updates);
  await rememberLines(
    tx,
    present.map(({ line, contentId }) => ({ line, contentId, downloadsCount: updates.get(contentId)?.downloadsCount })),
  );
  // The revision of the counters is the later one.
  const changes = [...edited.values(), ...erased.pending, ...counted];
  const isSeen = ({ contentId, revision }: ItemRevision): boolean => revision !== stored.get(contentId)?.revision;
  return [...new Map(changes.filter(isSeen).map((revision) => [revision.contentId, revision])).values()];
}

type OfLocked = { blocked: Set<number>; answers: Answers };

/** The outcome of a line that changes nothing of a locked item; undefined if it may. */
function outcomeOfLocked({ line, contentId, isSame }: Target, item: LockedItem | undefined, { blocked, answers }: OfLocked) {
  if (!item) return { result: line.isDeleted ? ('unchanged' as const) : ('skipped' as const), contentId };
  if (line.isDeleted) return undefined;
  const isBlocked = blocked.has(item.creatorId);
  if (isSame) return isBlocked ? { result: 'unchanged' as const, contentId } : undefined;
  const errors = isBlocked ? [OF_BLOCKED_USER] : errorsOf(answers.get(line));
  return errors.length > 0 ? { errors } : undefined;
}

type Answers = Map<ImportLine, Answer<Edit>>;

/** Asks the rules of items about all lines at once. `before`: undefined for a new item. */
function checkLines(lines: { line: ImportLine; before: Written | undefined }[], rules: AskedRules): Answers {
  const answers = checkItems(
    lines.map(({ line: { edit }, before }) => ({ edit, before })),
    rules,
  );
  return new Map(lines.flatMap(({ line }, at) => (answers[at] ? [[line, answers[at]] as const] : [])));
}

/** @returns the edit, if it keeps the rules */
function editsOf(answer: Answer<Edit> | undefined): Checked<Edit>[] {
  return answer && 'edit' in answer ? [answer.edit] : [];
}

function errorsOf(answer: Answer<Edit> | undefined): ErrorDetail[] {
  return answer && 'errors' in answer ? answer.errors : [];
}
