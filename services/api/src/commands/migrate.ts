import { readEnv, storeEnv } from '@ugc/shared/env';
import { migrate } from '@ugc/shared/migrate';

const { DATABASE_URL: databaseUrl } = readEnv(storeEnv.pick({ DATABASE_URL: true }));
const applied = await migrate(databaseUrl);
console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
