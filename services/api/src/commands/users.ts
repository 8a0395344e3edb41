import { createCommand, EXIT, JSON_OPTION, parseWith, runCommand, withProgress } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import { readEnv, storeEnv } from '@ugc/shared/config/env';
import { ERASURE_RECEIPT_DAYS } from '@ugc/shared/contracts/retention';
import type { Database } from '@ugc/shared/postgres/postgres';
import pg from 'pg';
import { z } from 'zod';
import { UserId } from '../auth/claims.ts';
import { Hiding } from '@ugc/items/changes/hidden-content';
import { exportUser } from '@ugc/items/files/export-items';
import { blockUser, hideItemsOf, showItemsOf, unblockUser } from '@ugc/items/people/block-user';
import { RESERVED_USER } from '@ugc/items/people/erase-user';
import { addUser, linkUser } from '@ugc/items/people/link-user';
import { renameUser } from '@ugc/items/people/rename-user';
import { Credential, UserName } from '@ugc/items/people/token-users';
import type { EraseOptions } from './erase-users.ts';
import { printReceipts } from './print-receipts.ts';
import { failureOf, withDatabase } from './with-database.ts';
import { writeLines } from './write-lines.ts';
import { hashOf } from '@ugc/items/people/blocked-users';

const UNIQUE_VIOLATION = '23505';

type JsonOption = { json?: boolean };
type AddOptions = JsonOption & { credential?: string };
type BlockOptions = JsonOption & { reason?: string; hide?: boolean };
type UnblockOptions = JsonOption & { show?: boolean };

const Reason = Hiding.shape.reason;
const Seconds = z.coerce.number({ error: 'must be a number' }).min(0, 'must be at least 0');
const ERASE_ENV = storeEnv.omit({ REDIS_URL: true, REDIS_SENTINEL_NAME: true, REDIS_SENTINEL_PASSWORD: true });
const parseId = parseWith('ID', UserId);
/** How long an erasure waits for Elasticsearch. */
const WAIT_SECONDS = 60;

const command = createCommand({
  name: 'npx pnpm users',
  description: 'Adds, renames, blocks, links, exports, erases and lists users, and prints the receipts of erasures.',
  exitCodes: {
    [EXIT.done]: 'done',
    [EXIT.badResult]: 'there is no such user or receipt (erase: the others are erased), the command is refused, or its output is lost',
    [EXIT.usage]: 'the arguments are wrong',
    [EXIT.tryAgain]: 'a store does not respond, or the indices do not accept the tombstones; the same command continues',
    78: 'a variable is wrong',
    [EXIT.stopped]: 'stopped; the same command continues',
  },
  example: 'npx pnpm users add "Ada Lovelace"',
});
command
  .command('add')
  .description('add a user and print the id')
  .argument('<NAME>', 'the name that lists show', parseWith('NAME', UserName))
  .option('--credential <HANDLE>', 'the unique login of the user (default: local|NAME)', parseWith('HANDLE', Credential))
  .option(...JSON_OPTION)
  .action(async (name: string, { credential, json }: AddOptions) => {
    const handle = credential ?? parseWith('HANDLE', Credential)(`local|${name}`);
    await withUsers((database) => add(database, name, handle, json));
  });
command
  .command('rename')
  .description('rename a user; the items of the user are indexed again')
  .argument('<ID>', 'the id of the user', parseId)
  .argument('<NEW_NAME>', 'the new name', parseWith('NEW_NAME', UserName))
  .option(...JSON_OPTION)
  .action((userId: number, name: string, { json }: JsonOption) => withUsers((database) => rename(database, userId, name, json)));
command
  .command('block')
  .description('refuse all writes of a user, in every process within 5 s; the items stay')
  .argument('<ID>', 'the id of the user', parseId)
  .option('--reason <TEXT>', 'shown by `users list`, and with --hide to the user', parseWith('TEXT', Reason))
  .option('--hide', 'hide the items of the user, before all other changes')
  .option(...JSON_OPTION)
  .action((userId: number, options: BlockOptions) => withUsers((database) => block(database, userId, options)));
command
  .command('unblock')
  .description('accept the writes of a user again')
  .argument('<ID>', 'the id of the user', parseId)
  .option('--show', 'show the items that the block has hidden')
  .option(...JSON_OPTION)
  .action((userId: number, options: UnblockOptions) => withUsers((database) => unblock(database, userId, options)));
command
  .command('link')
  .description('give a user the account of a provider; a user without items and ratings whom this account has made is removed')
  .argument('<ID>', 'the id of the user', parseId)
  .argument('<CREDENTIAL>', 'the account, such as `https://issuer.example.com/|auth0|5f7c…`', parseWith('CREDENTIAL', Credential))
  .option(...JSON_OPTION)
  .action((userId: number, credential: string, { json }: JsonOption) => withUsers((database) => link(database, userId, credential, json)));
command
  .command('export')
  .description('write what is stored of a user, one JSON object a line: the user, the items as `npx pnpm run export`, the given ratings')
  .argument('<ID>', 'the id of the user', parseId)
  .action((userId: number) => withUsers((database) => exportOf(database, userId)));
command
  .command('erase')
  .description('remove users with their items and ratings, and print what remains where; the same command continues')
  .argument('<ID...>', 'the ids of the users', (text, ids: number[] = []) => [...ids, parseId(text)])
  .option('--wait <SECONDS>', 'how long to wait for the indices without any progress', parseWith('SECONDS', Seconds), WAIT_SECONDS)
  .option(...JSON_OPTION)
  .action(async (userIds: number[], options: EraseOptions) => {
    const env = readEnv(ERASE_ENV);
    const { eraseUsers } = await import('./erase-users.ts');
    await eraseUsers(env, userIds, options);
  });
command
  .command('receipts')
  .description(`print the receipts of these users again, or list those of all users, which are kept for ${ERASURE_RECEIPT_DAYS} days`)
  .argument('[ID...]', 'the ids of the erased users', (text, ids: number[] = []) => [...ids, parseId(text)])
  .option(...JSON_OPTION)
  .action((userIds: number[], { json }: JsonOption) => withUsers((database) => printReceipts(database, userIds, json)));
command
  .command('list')
  .description('list all users: id, name, credential, and since when and why they are blocked')
  .option(...JSON_OPTION)
  .action(({ json }: JsonOption) => withUsers((database) => list(database, json)));
await runCommand(command, failureOf);

function withUsers(run: (database: Database) => Promise<void>): Promise<void> {
  return withDatabase({ applicationName: 'ugc-users', statementTimeoutMs: 10_000 }, run);
}

async function add(database: Database, username: string, credential: string, json = false): Promise<void> {
  const added = await addUser(database, username, credential).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION)
      throw new Error(`A user with the credential ${credential} exists already; specify another one with --credential.`);
    throw error;
  });
  const { userId, isBlocked } = added;
  if (json) return printJson({ userId, ...(isBlocked && { blocked: true }) });
  printLine(userId);
  if (isBlocked) printMessage(`The account is blocked: npx pnpm users unblock ${userId} ends that.`);
}

async function rename(database: Database, userId: number, name: string, json = false): Promise<void> {
  const items = await withProgress('Items', ({ progress, signal }) => renameUser(database, userId, name, progress, { signal }));
  if (items === undefined) throw new Error(`There is no user ${userId}.`);
  if (json) printJson({ userId, name, items });
  else printLine(`User ${userId} is now ${name}; ${items} items are being indexed again.`);
}

async function block(database: Database, userId: number, { reason, hide = false, json = false }: BlockOptions): Promise<void> {
  if (!(await blockUser(database, userId, reason))) throw new Error(`There is no user ${userId}.`);
  if (!json) printLine(`User ${userId} is blocked; every process refuses the user's writes within 5 s.`);
  const hidden = hide ? await withProgress('Items', (pace) => hideItemsOf(database, userId, reason, pace)) : undefined;
  if (json) printJson({ userId, blocked: true, ...(hide && { hidden }) });
  else if (hide) printLine(`${hidden} items are hidden.`);
}

async function unblock(database: Database, userId: number, { show = false, json = false }: UnblockOptions): Promise<void> {
  const wasBlocked = await unblockUser(database, userId);
  if (!json) printLine(wasBlocked ? `User ${userId} is not blocked any more.` : `User ${userId} was not blocked.`);
  const shown = show ? await withProgress('Items', (pace) => showItemsOf(database, userId, pace)) : undefined;
  if (json) printJson({ userId, wasBlocked, ...(show && { shown }) });
  else if (show) printLine(`${shown} items are shown again.`);
}

async function link(database: Database, userId: number, credential: string, json = false): Promise<void> {
  const { removed, isBlocked } = await linkUser(database, userId, credential);
  if (json) return printJson({ userId, credential, ...(removed !== undefined && { removed }), ...(isBlocked && { blocked: true }) });
  const also = removed === undefined ? '' : ` User ${removed}, who had it and had uploaded and rated nothing, is removed.`;
  printLine(
    `User ${userId} has the account ${credential}; tokens follow within a minute.${also}${isBlocked ? ' The user is blocked, with both accounts.' : ''}`,
  );
}

async function exportOf(database: Database, userId: number): Promise<void> {
  const lines = await exportUser(database, userId);
  if (!lines) throw new Error(`There is no user ${userId}.`);
  await writeLines(lines);
}

type ListedUser = { userId: number; username: string; credential: string; blockedAt: Date | null; reason: string | null };

async function list(database: Database, json = false): Promise<void> {
  const users = await database.query<ListedUser>(
    `select u.user_id, username, credential, coalesce(c.blocked_at, b.blocked_at) as blocked_at, coalesce(c.reason, b.reason) as reason
     from users u left join blocked_user c on c.credential_hash = ${hashOf('credential')}
     left join (select distinct on (user_id) user_id, blocked_at, reason from blocked_user order by user_id, blocked_at) b
       on b.user_id = u.user_id and c.credential_hash is null
     where u.user_id <> $1 order by u.user_id`,
    [RESERVED_USER],
  );
  for (const { userId, username, credential, blockedAt, reason } of users) {
    const blocked = blockedAt && { since: blockedAt.toISOString(), reason };
    if (json) printJson({ userId, name: username, credential, ...(blocked && { blocked }) });
    else printLine(userId, username, credential, ...(blocked ? [`blocked ${blocked.since}`, reason ?? ''] : []));
  }
}
