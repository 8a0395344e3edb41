import { createCommand, EXIT, failWith, JSON_OPTION, parseWith, runCommand } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import { endIfInvalid, parseEnv } from '@ugc/shared/config/env';
import { z } from 'zod';
import { subjectsAreUserIds, UserId } from '../auth/claims.ts';
import { tokenFields } from '../env.ts';
import { signDevelopmentToken } from './development-token.ts';

/** A hundred years. */
const HOURS_MAX = 876_600;
const Hours = z
  .string()
  .transform(Number)
  .refine((hours) => hours > 0 && hours <= HOURS_MAX, `must be a positive number, at most ${HOURS_MAX}`);

type Options = { user: number; hours: number; scope?: string; json?: boolean };

const command = createCommand({
  name: 'npx pnpm run token',
  description: 'Prints a token for development, signed with JWT_SECRET.',
  exitCodes: {
    [EXIT.done]: 'done',
    [EXIT.badResult]: 'this service cannot sign tokens, because a provider issues them',
    [EXIT.usage]: 'the arguments are wrong',
    78: 'the configuration is wrong',
  },
  example: 'npx pnpm run token --user 1 --hours 8 --scope content:write:any',
})
  .requiredOption('--user <ID>', 'the id of the user', parseWith('--user', UserId))
  .option('--hours <N>', 'the lifetime of the token in hours', parseWith('--hours', Hours), 24)
  .option(
    '--scope <SCOPE>',
    'content:write:any permits to upload for others, and to edit and delete the items of all users, content:moderate to hide items; several with blanks',
  )
  .option(...JSON_OPTION)
  .action(async ({ user: userId, hours, scope, json }: Options) => {
    const token = await signDevelopmentToken(process.env, { userId, hours, scope }).catch(endIfInvalid);
    if (json) printJson({ token });
    else printLine(token);
    const rules = parseEnv(z.object(tokenFields), process.env);
    if (!subjectsAreUserIds(rules)) printMessage(accountOf(userId, rules.JWT_ISSUER));
  });
await runCommand(command, failWith(EXIT.badResult));

function accountOf(userId: number, issuer = ''): string {
  return (
    `This token is not that of user ${userId}, but of the account ${userId} of the issuer ${issuer}, since subjects are no ids of users ` +
    'here. For a token of the user, set JWT_SUBJECTS_ARE_USER_IDS=true, here and for the API.'
  );
}
