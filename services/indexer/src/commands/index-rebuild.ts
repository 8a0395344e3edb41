import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { findTarget } from '../targets.ts';
import { rebuildIndex, removeTarget, rollBack } from '../indices/rebuild.ts';
import { EXIT, phaseBars, printJson, runCommand, somebodyElse, tell, WrongUsage, type CommandDeps } from './command.ts';
import type { Progress } from '../indices/fill.ts';

const USAGE = `Usage: npx pnpm index:rebuild              fills a new index while the old one is searched, checks it, and swaps them
       npx pnpm index:rebuild --rollback   puts the previous index back
       npx pnpm index:rebuild --finish     removes the previous index; there is no way back then
       npx pnpm index:rebuild --cancel     gives up a rebuild that was stopped
--json prints the result as JSON. Exit codes: 0 done, 1 failed (the old index is searched as before), 2 usage, 75 try again, 130 stopped.`;

const ACTIONS: Record<string, (deps: CommandDeps, progress: Progress) => Promise<boolean>> = {
  rebuild: rebuildIndex,
  rollback: rollBack,
  finish: (deps) => removeTarget(deps, 'previous'),
  cancel: (deps) => removeTarget(deps, 'next'),
};

await runCommand(USAGE, ['rollback', 'finish', 'cancel', 'json'], async (deps, { positionals, flags: { json, ...flags } }) => {
  const [action = 'rebuild', ...more] = Object.keys(flags);
  if (more.length > 0 || positionals.length > 0) throw new WrongUsage('One thing at a time.');
  const bars = phaseBars();
  const done = await ACTIONS[action]?.(deps, bars.progress).finally(() => bars.end());
  if (!done) return somebodyElse();
  await report(deps, json ?? false);
  return EXIT.done;
});

async function report({ database }: CommandDeps, json: boolean): Promise<void> {
  const search = await findTarget(database, 'search');
  const previous = await findTarget(database, 'previous');
  if (json) return printJson({ searched: search?.indexName, mappingVersion: MAPPING_VERSION, previous: previous?.indexName ?? null });
  tell(`${search?.indexName ?? 'No index'} is searched.`);
  if (previous) tell(`${previous.indexName} is kept up to date: --rollback puts it back, --finish removes it.`);
}
