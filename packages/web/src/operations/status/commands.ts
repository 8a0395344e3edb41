/** A command that an operator runs in a terminal, and its effect. */
export type CommandLine = { line: string; effect: string };

export const COMMANDS = {
  status: { line: 'npx pnpm index:status', effect: 'Print the state of indexing' },
  item: { line: 'npx pnpm index:status --item ID', effect: 'Print the same in a terminal' },
  pause: { line: 'npx pnpm index:pause', effect: 'Stop all writes to the index' },
  resume: { line: 'npx pnpm index:resume', effect: 'Index all pending changes' },
  rebuild: { line: 'npx pnpm index:rebuild', effect: 'Fill a new index and search it' },
  continueRebuild: { line: 'npx pnpm index:rebuild', effect: 'Continue the rebuild' },
  cancelRebuild: { line: 'npx pnpm index:rebuild --cancel', effect: 'Remove the unfinished index' },
  rollBack: { line: 'npx pnpm index:rebuild --rollback', effect: 'Search the previous index again' },
  finish: { line: 'npx pnpm index:rebuild --finish', effect: 'Remove the previous index' },
  audit: { line: 'npx pnpm index:audit', effect: 'Compare PostgreSQL and the index' },
  repair: { line: 'npx pnpm index:audit --repair', effect: 'Compare all items now and repair them' },
  listRejected: { line: 'npx pnpm index:rejected list', effect: 'List all of them' },
  retryRejected: { line: 'npx pnpm index:rejected retry --all', effect: 'Index them again' },
  fields: { line: 'npx pnpm fields apply FILE', effect: 'Declare the fields, and count again' },
  searchInsights: { line: 'npx pnpm search:insights', effect: 'List more of them' },
  rebuildVectors: { line: 'npx pnpm embeddings:rebuild', effect: 'Make every vector again' },
  dropRejected: { line: 'npx pnpm index:rejected drop ID', effect: 'Drop the change of an item' },
} satisfies Record<string, CommandLine>;
