import { migrate } from '@ugc/shared/migrate';

const databaseUrl = process.env['DATABASE_URL'];
if (databaseUrl === undefined) {
  console.error('DATABASE_URL is not set; for example postgresql://user:password@127.0.0.1:5432/ugc');
  process.exit(2);
}
const applied = await migrate(databaseUrl);
console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
