import { EXIT } from '@ugc/shared/cli/command';
import { printColumns, printJson, printMessage } from '@ugc/shared/cli/output';
import type { EmbeddingsStatus } from '@ugc/shared/contracts/operations-status';
import { readEmbeddings } from '@ugc/shared/embeddings/status';
import { outdateVectors } from '@ugc/shared/embeddings/generations';
import { createIndexCommand, onRun, runIndexCommand, type CommandDeps, type JsonOption } from './index-command.ts';

const NONE = 'No indexer has embedded items yet. EMBEDDINGS_URL switches ranking by meaning on.';

const command = createIndexCommand({
  name: 'npx pnpm embeddings:status',
  description: 'Shows and rebuilds the vectors of the items, by which lists are ranked by meaning.',
  exitCodes: { [EXIT.badResult]: 'no indexer has embedded items yet' },
  example: 'npx pnpm embeddings:status --json',
}).configureHelp({
  commandUsage: (cmd) => (cmd.parent ? `npx pnpm embeddings:${cmd.name()} ${cmd.usage()}` : 'npx pnpm embeddings:status|rebuild [options]'),
});
onRun(command.command('status').description('show how many items have a vector'), show);
onRun(command.command('rebuild').description('make every vector again, as after a change of the model behind the same name'), rebuild);
await runIndexCommand(command);

async function show({ database }: CommandDeps, { json }: JsonOption): Promise<number> {
  const status = await readEmbeddings(database);
  if (json) printJson(status ?? null);
  else if (status) printColumns(rowsOf(status));
  if (!status) printMessage(NONE);
  return status ? EXIT.done : EXIT.badResult;
}

function rowsOf({ model, filling, searchedModel, items, embedded, refused, waiting, oldestWaitingSeconds }: EmbeddingsStatus): string[][] {
  const oldest = oldestWaitingSeconds === null ? '' : `, the oldest for ${Math.round(oldestWaitingSeconds)} s`;
  return [
    ['model', filling ? `${model}, which is being filled` : model],
    ['searched', searchedModel ?? 'none yet: lists are ranked by words until every item has a vector'],
    ['with a vector', `${embedded} of ${items} items`],
    ['refused', String(refused)],
    ['waiting', `${waiting}${oldest}`],
  ];
}

async function rebuild({ database, signal }: CommandDeps, { json }: JsonOption): Promise<number> {
  const items = await outdateVectors(database, signal);
  if (json) printJson({ items });
  else
    printMessage(items === undefined ? NONE : `The indexers make ${items} vectors again. npx pnpm embeddings:status shows their progress.`);
  return items === undefined ? EXIT.badResult : EXIT.done;
}
