import { createCommand, EXIT, JSON_OPTION, parseId, parseWith, runCommand } from '@ugc/shared/cli/command';
import { printJson, printLine } from '@ugc/shared/cli/output';
import type { Database } from '@ugc/shared/postgres/postgres';
import { hideContent, Hiding, showContent } from '@ugc/items/changes/hidden-content';
import { Problem } from '@ugc/items/problems/problem';
import { DATABASE_EXIT_CODES, failureOf, withDatabase } from './with-database.ts';

type JsonOption = { json?: boolean };
type HideOptions = JsonOption & { reason: string };

const command = createCommand({
  name: 'npx pnpm items',
  description: 'Hides an item from everybody but its creator and moderators, before all other changes, and shows it again.',
  exitCodes: {
    [EXIT.done]: 'done',
    [EXIT.badResult]: 'there is no such item, or the command failed',
    ...DATABASE_EXIT_CODES,
    [EXIT.stopped]: 'stopped; the same command continues',
  },
  example: 'npx pnpm items hide 42 --reason "The picture is that of another site."',
});
command
  .command('hide')
  .description('hide an item; again, it changes the reason')
  .argument('<ID>', 'the id of the item', parseId)
  .requiredOption('--reason <TEXT>', 'shown to the creator', parseWith('TEXT', Hiding.shape.reason))
  .option(...JSON_OPTION)
  .action((contentId: number, { reason, json }: HideOptions) =>
    withItem(async (database) => {
      const { hasChanged } = await hideContent(database, contentId, { moderator: null, reason });
      if (json) printJson({ contentId, hidden: true, hasChanged });
      else printLine(`Item ${contentId} ${hasChanged ? 'is hidden' : 'was hidden already, and has this reason now'}.`);
    }, contentId),
  );
command
  .command('show')
  .description('show a hidden item again, as it was before')
  .argument('<ID>', 'the id of the item', parseId)
  .option(...JSON_OPTION)
  .action((contentId: number, { json }: JsonOption) =>
    withItem(async (database) => {
      const { hasChanged } = await showContent(database, contentId);
      if (json) printJson({ contentId, hidden: false, hasChanged });
      else printLine(`Item ${contentId} ${hasChanged ? 'is shown again' : 'was not hidden'}.`);
    }, contentId),
  );
await runCommand(command, failureOf);

function withItem(run: (database: Database) => Promise<void>, contentId: number): Promise<void> {
  return withDatabase({ applicationName: 'ugc-items', statementTimeoutMs: 10_000 }, (database) =>
    run(database).catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'item-unknown' ? new Error(`There is no item ${contentId}.`) : error;
    }),
  );
}
