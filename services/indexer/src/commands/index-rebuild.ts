import { EXIT } from '@ugc/shared/cli/command';
import { printJson, printMessage } from '@ugc/shared/cli/output';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { withIndexLock, type Progress } from '../targets/target-indices.ts';
import { rebuildIndex, rollBack } from '../rebuild/rebuild.ts';
import { cancel, finish, removeUnlisted } from '../targets/recover-targets.ts';
import { decideOwners } from '../targets/claim.ts';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { fieldsDue, findTarget } from '@ugc/shared/indices/targets';
import { createIndexCommand, onRun, phaseBars, reportLocked, runIndexCommand, whenUnlocked, type CommandDeps } from './index-command.ts';
import { whyRebuild } from './report-status.ts';

type Options = { rollback?: boolean; finish?: boolean; cancel?: boolean; remove?: string; json?: boolean };

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
  .addOption(command.createOption('--cancel', 'remove the index of a rebuild that was stopped').conflicts('remove'))
  .addOption(
    command
      .createOption(
        '--remove <NAME>',
        'remove an index that index:status shows as not listed; never one with an alias or of another database',
      )
      .conflicts(['rollback', 'finish']),
  );
await runIndexCommand(onRun(command, run));

async function run(deps: CommandDeps, { json = false, ...options }: Options): Promise<number> {
  const bars = phaseBars();
  const isDone = await whenUnlocked(deps, () => change(deps, options, bars.progress)).finally(() => bars.end());
  if (!isDone) return reportLocked();
  await report(deps, json);
  return EXIT.done;
}

async function change(deps: CommandDeps, options: Options, progress: Progress): Promise<boolean> {
  await decideOwners(deps, progress);
  const { remove } = options;
  if (options.rollback) return rollBack(deps, progress);
  if (options.finish) return withIndexLock(deps, finish);
  if (options.cancel) return withIndexLock(deps, cancel);
  if (remove !== undefined) return withIndexLock(deps, (held) => removeUnlisted(held, remove));
  return rebuildIndex(deps, progress);
}

async function report(deps: CommandDeps, json: boolean): Promise<void> {
  const search = await findTarget(deps, 'search');
  const previous = await findTarget(deps, 'previous');
  if (json) return printJson({ searched: search?.indexName, mappingVersion: MAPPING_VERSION, previous: previous?.indexName ?? null });
  printMessage(search ? `Searches use ${search.indexName}.` : 'No index is searched.');
  if (search) {
    const why = whyRebuild(search.mappingVersion, fieldsDue(search, await readDeclaredFields(deps.database)));
    for (const each of why) printMessage(`${search.indexName} lacks what this release knows: ${each}.`);
  }
  if (previous) printMessage(`${previous.indexName} is kept up to date: --rollback searches it again, --finish removes it.`);
}
