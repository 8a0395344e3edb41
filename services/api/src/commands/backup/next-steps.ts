export type Role = 'replacement' | 'copy';

const MIGRATE = 'node services/api/src/commands/migrate.ts';

/** What remains to be done after a restore. @param missing the migrations of this release that the backup lacks */
export function nextSteps(role: Role, missing: string[]): string[] {
  const migrate = missing.length === 0 ? [] : [`${MIGRATE}: the backup is older than this release, and lacks ${missing.join(', ')}.`];
  return role === 'copy' ? [...OWN_NAMES, ...migrate, ...FILL] : [...END_OTHERS, ...migrate, ...COMPARE];
}

const OWN_NAMES = ['Set CONTENT_ALIAS and QUEUE_PREFIX to names that no other environment on the same Elasticsearch and Redis has.'];

const FILL = ['Start the API and the indexers. They fill a new index from this database.', 'npx pnpm index:status shows the progress.'];

const END_OTHERS = ['End all processes that use the former database, if it is another one.'];

const COMPARE = [
  'Start the API and the indexers.',
  'npx pnpm index:adopt: this database becomes the owner of the indices of the former one.',
  'npx pnpm index:audit --repair: what the index has in another state than this database is indexed again.',
];
