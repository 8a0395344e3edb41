import { readEnv, storeEnv } from '@ugc/shared/process/env';
import { errorMessage } from '@ugc/shared/process/error-message';
import { migrate } from '@ugc/shared/stores/migrate';

const { DATABASE_URL } = readEnv(storeEnv.pick({ DATABASE_URL: true }));
try {
  const applied = await migrate(DATABASE_URL);
  console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
} catch (error) {
  const { hostname, port } = new URL(DATABASE_URL);
  console.error(`The schema could not be brought up to date on PostgreSQL at ${hostname}:${port || 5432}: ${errorMessage(error)}`);
  process.exit(1);
}
