import { ConfigurationError } from '@ugc/shared/env';
import { messageOf } from '@ugc/shared/message-of';
import { parseArgs } from 'node:util';
import { signDevelopmentToken } from '../auth/development-token.ts';

const USAGE = 'Usage: npx pnpm run token --user ID [--hours 24] [--scope content:write:any]';

try {
  const { values } = parseArgs({
    options: { user: { type: 'string' }, hours: { type: 'string', default: '24' }, scope: { type: 'string' } },
  });
  const userId = Number(values.user);
  const hours = Number(values.hours);
  if (!Number.isSafeInteger(userId) || userId < 1) throw new ConfigurationError('--user must be the id of a user, a positive integer.');
  if (!(hours > 0)) throw new ConfigurationError('--hours must be a positive number.');
  console.log(await signDevelopmentToken(process.env, { userId, hours, scope: values.scope }));
} catch (error) {
  console.error(`${messageOf(error)}\n${USAGE}`);
  process.exit(2);
}
