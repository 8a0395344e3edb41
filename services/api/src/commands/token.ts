import { ConfigurationError } from '@ugc/shared/process/env';
import { errorMessage } from '@ugc/shared/process/error-message';
import { parseArgs } from 'node:util';
import { UserId } from '../auth/claims.ts';
import { signDevelopmentToken } from '../auth/development-token.ts';

const USAGE = 'Usage: npx pnpm run token --user ID [--hours 24] [--scope content:write:any]';
/** A hundred years. */
const HOURS_MAX = 876_600;

try {
  const { values } = parseArgs({
    options: { user: { type: 'string' }, hours: { type: 'string', default: '24' }, scope: { type: 'string' } },
  });
  const hours = Number(values.hours);
  const { data: userId } = UserId.safeParse(values.user);
  if (userId === undefined) throw new ConfigurationError('--user must be the id of a user, a positive integer.');
  if (!(hours > 0 && hours <= HOURS_MAX)) throw new ConfigurationError(`--hours must be a positive number, at most ${HOURS_MAX}.`);
  console.log(await signDevelopmentToken(process.env, { userId, hours, scope: values.scope }));
} catch (error) {
  console.error(`${errorMessage(error)}\n${USAGE}`);
  process.exit(2);
}
