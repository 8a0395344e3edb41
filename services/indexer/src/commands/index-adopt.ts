import { EXIT } from '@ugc/shared/cli/command';
import { printJson, printMessage } from '@ugc/shared/cli/output';
import { describeDatabase, readIdentity } from '@ugc/shared/contracts/database-identity';
import { adoptIndices } from '../targets/claim.ts';
import {
  createIndexCommand,
  onRun,
  reportLocked,
  runIndexCommand,
  whenUnlocked,
  type CommandDeps,
  type JsonOption,
} from './index-command.ts';

const command = createIndexCommand({
  name: 'npx pnpm index:adopt',
  description: `Makes the database at DATABASE_URL the owner of all indices of CONTENT_ALIAS, at once. Use it when this database
replaces the one that the indices belong to. The other database, if it still runs, then writes to them no more.`,
  exitCodes: { [EXIT.badResult]: 'another process has taken an index over at the same time' },
  example: 'npx pnpm index:adopt',
});
await runIndexCommand(onRun(command, adopt));

async function adopt(deps: CommandDeps, { json }: JsonOption): Promise<number> {
  const adopted: string[] = [];
  const take = () => adoptIndices(deps, (indexName) => void adopted.push(indexName));
  const isDone = await whenUnlocked(deps, take).catch((error: unknown) => {
    if (adopted.length > 0) printMessage(`Adopted ${adopted.join(', ')}, and then failed:`);
    throw error;
  });
  if (!isDone) return reportLocked();
  const owner = describeDatabase(await readIdentity(deps.database));
  if (json) printJson({ adopted, owner });
  else if (adopted.length === 0) printMessage(`All indices of the alias ${deps.alias} belong to this database already: ${owner}.`);
  else printMessage(`Adopted ${adopted.join(', ')}. They belong to ${owner}; its indexers bring them in order.`);
  return EXIT.done;
}
