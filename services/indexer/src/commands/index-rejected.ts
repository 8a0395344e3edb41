import { countRejected } from '@ugc/shared/outbox/backlog';
import { dropRejected, listRejected, retryRejected } from '@ugc/shared/outbox/rejected';
import { progressBar } from '@ugc/shared/process/progress-bar';
import { EXIT, printColumns, printJson, runCommand, tell, WrongUsage, type CommandDeps } from './command.ts';

const USAGE = `Usage: npx pnpm index:rejected list                what Elasticsearch refuses, and why
       npx pnpm index:rejected retry ID … | --all   hands them out again, after a new mapping for instance
       npx pnpm index:rejected drop ID … | --all    gives these changes up: lists show the items as before, or not at all,
                                                   until their next change; the audit calls them dropped
--all takes its time while many changes are pending, so that later ones need not wait; stopped, it goes on when repeated.
--json prints JSON. Exit codes: 0 done, 1 some of the IDs are not rejected, 2 usage, 75 try again.`;

await runCommand(USAGE, ['all', 'json'], async (deps, { positionals: [action, ...ids], flags: { all = false, json = false } }) => {
  if (action === 'list' && ids.length === 0 && !all) return list(deps, json);
  if (action === 'retry') return change(deps, retryRejected, { action, contentIds: chosen(ids, all), json });
  if (action === 'drop') return change(deps, dropRejected, { action, contentIds: chosen(ids, all), json });
  throw new WrongUsage('Say list, retry or drop.');
});

function chosen(ids: string[], all: boolean): number[] | 'all' {
  if (all === ids.length > 0) throw new WrongUsage('Say which items, by their IDs, or --all.');
  if (all) return 'all';
  const contentIds = ids.map(Number);
  if (!contentIds.every((id) => Number.isSafeInteger(id) && id > 0)) throw new WrongUsage('An ID is a positive integer.');
  return contentIds;
}

async function list({ database }: CommandDeps, json: boolean): Promise<number> {
  const rejected = await listRejected(database);
  if (json) rejected.forEach(printJson);
  else if (rejected.length === 0) tell('Nothing is rejected.');
  else
    printColumns([
      ['item', 'revision', 'since', 'reason'],
      ...rejected.map((row) => [`${row.contentId}`, `${row.revision}`, row.since.toISOString(), row.reason]),
    ]);
  const total = await countRejected(database);
  if (total > rejected.length) tell(`These are the first ${rejected.length} of ${total}.`);
  return EXIT.done;
}

type Choice = { action: string; contentIds: number[] | 'all'; json: boolean };

async function change({ database, signal }: CommandDeps, apply: typeof retryRejected, choice: Choice): Promise<number> {
  const { action, contentIds, json } = choice;
  const bar = progressBar('Items');
  const progress = contentIds === 'all' ? bar.update : undefined;
  const changed = await apply(database, contentIds, { signal, progress }).finally(() => bar.end());
  const missing = contentIds === 'all' ? [] : contentIds.filter((id) => !changed.includes(id));
  if (json) printJson({ [action]: changed, notRejected: missing });
  else
    tell(
      `${action}: ${changed.length} of ${changed.length + missing.length}${missing.length > 0 ? `; not rejected: ${missing.join(', ')}` : ''}`,
    );
  return missing.length > 0 ? EXIT.bad : EXIT.done;
}
