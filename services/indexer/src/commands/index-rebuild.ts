import { EXIT } from '@ugc/shared/cli/command';
import { printJson, printMessage } from '@ugc/shared/cli/output';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { Progress } from '../indices/fill.ts';
import { rebuildIndex, removeTarget, rollBack } from '../indices/rebuild.ts';
import { findTarget } from '@ugc/shared/indices/targets';
import { createIndexCommand, onRun, phaseBars, reportLocked, runIndexCommand, type CommandDeps } from './index-command.ts';

type Options = { rollback?: boolean; finish?: boolean; cancel?: boolean; json?: boolean };

const command = createIndexCommand({
  name: 'npx pnpm index:rebuild',
  description: `Fills a new index from PostgreSQL while the current one is searched, checks the new index and swaps them.
The previous index is kept up to date for a rollback until --finish removes it.`,
  exitCodes: { [EXIT.badResult]: 'failed; the searched index is unchanged' },
  example: 'npx pnpm index:rebuild --rollback',
});
command
  .addOption(command.createOption('--rollback', 'search the previous index again').conflicts(['finish', 'cancel']))
  .addOption(command.createOption('--finish', 'remove the previous index; a rollback is impossible afterwards').conflicts('cancel'))
  .option('--cancel', 'remove the index of a rebuild that was stopped');
await runIndexCommand(onRun(command, run));

async function run(deps: CommandDeps, { json = false, ...options }: Options): Promise<number> {
  const bars = phaseBars();
  const isDone = await change(deps, options, bars.progress).finally(() => bars.end());
  if (!isDone) return reportLocked();
  await report(deps, json);
  return EXIT.done;
}

function change(deps: CommandDeps, { rollback, finish, cancel }: Options, progress: Progress): Promise<boolean> {
  if (rollback) return rollBack(deps, progress);
  if (finish) return removeTarget(deps, 'previous');
  if (cancel) return removeTarget(deps, 'next');
  return rebuildIndex(deps, progress);
}

async function report({ database }: CommandDeps, json: boolean): Promise<void> {
  const search = await findTarget(database, 'search');
  const previous = await findTarget(database, 'previous');
  if (json) return printJson({ searched: search?.indexName, mappingVersion: MAPPING_VERSION, previous: previous?.indexName ?? null });
  printMessage(search ? `Searches use ${search.indexName}.` : 'No index is searched.');
  if (previous) printMessage(`${previous.indexName} is kept up to date: --rollback searches it again, --finish removes it.`);
}
