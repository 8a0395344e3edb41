import { createCommand, EXIT, JSON_OPTION, parseWith, runCommand } from '@ugc/shared/cli/command';
import { printColumns, printJson, printMessage } from '@ugc/shared/cli/output';
import type { SearchInsight } from '@ugc/shared/contracts/operations-status';
import { SEARCH_INSIGHT_DAYS, SEARCH_INSIGHT_USERS_MIN } from '@ugc/shared/contracts/retention';
import { readSearchInsights } from '@ugc/shared/status/search-insights';
import { z } from 'zod';
import { DATABASE_EXIT_CODES, failureOf, withDatabase } from './with-database.ts';

const LIMIT_MAX = 10_000;
const LIMIT_MESSAGE = `must be an integer from 1 to ${LIMIT_MAX}`;
const Limit = z
  .string()
  .regex(/^[1-9]\d{0,4}$/, LIMIT_MESSAGE)
  .transform(Number)
  .pipe(z.number().max(LIMIT_MAX, LIMIT_MESSAGE));

const command = createCommand({
  name: 'npx pnpm search:insights',
  description:
    `Lists the prompts for which nothing was found or that were corrected within ${SEARCH_INSIGHT_DAYS} days, those of the most users ` +
    `first. Only prompts that at least ${SEARCH_INSIGHT_USERS_MIN} users have sent on one day are listed. SEARCH_INSIGHTS=true counts them.`,
  exitCodes: {
    [EXIT.done]: 'done',
    [EXIT.badResult]: 'PostgreSQL refuses the command',
    ...DATABASE_EXIT_CODES,
  },
  example: 'npx pnpm search:insights --limit 100',
})
  .option('--limit <N>', `how many prompts to list, up to ${LIMIT_MAX}`, parseWith('--limit', Limit), 50)
  .option(...JSON_OPTION)
  .action(list);
await runCommand(command, failureOf);

async function list({ limit, json = false }: { limit: number; json?: boolean }): Promise<void> {
  await withDatabase({ applicationName: 'ugc-search-insights', statementTimeoutMs: 10_000 }, async (database) => {
    const insights = await readSearchInsights(database, limit);
    if (json) insights.forEach(printJson);
    else if (insights.length === 0) printMessage('There is no such prompt. SEARCH_INSIGHTS=true for the API counts them.');
    else printColumns([['prompt', 'searches', 'users', 'last', 'result'], ...insights.map(toRow)]);
  });
}

function toRow({ prompt, searches, users, lastAt, nothingFound, correction }: SearchInsight): string[] {
  const result = [
    ...(nothingFound > 0 ? [nothingFound === searches ? 'nothing found' : `nothing found ${nothingFound} of ${searches} times`] : []),
    ...(correction !== null ? [`corrected to ${correction}`] : []),
  ].join('; ');
  return [prompt, searches.toLocaleString('en'), users.toLocaleString('en'), lastAt.slice(0, 16).replace('T', ' '), result];
}
