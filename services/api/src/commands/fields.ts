import { fromStored, needsRebuild, readDefinitions, toFile, type Definitions, type StoredDefinitions } from '@ugc/fields/definition';
import { createCommand, EXIT, JSON_OPTION, runCommand, withProgress } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import { readEnv, storeEnv } from '@ugc/shared/config/env';
import { checkStoredValues, type StoredCheck } from '@ugc/shared/fields/check-stored-values';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { storeDefinitions } from '@ugc/shared/fields/store-definitions';
import { seesEarlierProcess } from '@ugc/shared/postgres/earlier-processes';
import type { Database } from '@ugc/shared/postgres/postgres';
import { escapeJson } from '@ugc/shared/process/terminal';
import { errorMessage } from '@ugc/shared/process/error-message';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { DATABASE_EXIT_CODES, failureOf, withDatabase } from './with-database.ts';

type JsonOption = { json?: boolean };

const STANDARD_INPUT = '-';
const FILE = ['<FILE>', `a JSON file with the names of the fields and what each is; ${STANDARD_INPUT} for standard input`] as const;
const ENV = storeEnv.pick({ DATABASE_URL: true, CONTENT_ALIAS: true });

const command = createCommand({
  name: 'npx pnpm fields',
  description:
    'Declares which fields items have besides those of the service, such as a licence or the number of players. The file has all of ' +
    'them: a field that it lacks is removed, and its values are kept. docs/api.md, "Fields of your own", has the form.',
  exitCodes: {
    [EXIT.done]: 'done',
    [EXIT.badResult]: 'the definitions are wrong, the file cannot be read, or PostgreSQL refuses the command',
    ...DATABASE_EXIT_CODES,
    [EXIT.tryAgain]: 'PostgreSQL does not respond, or a process of 1.0.0 is still connected; try again',
    [EXIT.stopped]: 'stopped; the same command continues',
  },
  example: 'npx pnpm fields apply fields.json',
});
command
  .command('check')
  .description('check the definitions of a file and the values that are stored, and store nothing')
  .argument(...FILE)
  .option(...JSON_OPTION)
  .action((file: string, { json }: JsonOption) => change(file, { json, isApplied: false }));
command
  .command('apply')
  .description('check them, and store the definitions; every process has them within 5 s')
  .argument(...FILE)
  .option(...JSON_OPTION)
  .action((file: string, { json }: JsonOption) => change(file, { json, isApplied: true }));
command
  .command('show')
  .description('print the declared fields in the form of the file')
  .option(...JSON_OPTION)
  .action(({ json }: JsonOption) => withFields((database) => show(database, json)));
/** Each line says what is wrong with a file. */
class WrongFile extends Error {
  readonly lines: string[];
  constructor(lines: string[]) {
    super(lines.join('; '));
    this.lines = lines;
  }
}
/** It would store uploads without the values, and answer as if it had stored them. */
class EarlierProcess extends Error {
  override readonly message =
    'A process of 1.0.0 is still connected, and would store uploads without their fields. Run this command again when it has ended.';
}
await runCommand(command, (error) => {
  if (error instanceof WrongFile) return { message: error.lines, exitCode: EXIT.badResult };
  return error instanceof EarlierProcess ? { message: error.message, exitCode: EXIT.tryAgain } : failureOf(error);
});

function withFields(run: (database: Database, alias: string) => Promise<void>): Promise<void> {
  const { DATABASE_URL: url, CONTENT_ALIAS: alias } = readEnv(ENV);
  return withDatabase({ url, applicationName: 'ugc-fields', statementTimeoutMs: 60_000 }, (database) => run(database, alias));
}

async function show(database: Database, json = false): Promise<void> {
  const file = toFile(await readDeclaredFields(database));
  if (json) printJson(file);
  else for (const line of JSON.stringify(file, undefined, 2).split('\n')) printLine(escapeJson(line));
}

async function change(file: string, { json = false, isApplied }: JsonOption & { isApplied: boolean }): Promise<void> {
  await withFields(async (database, alias) => {
    const definitions = await definitionsIn(file);
    if (isApplied && definitions.size > 0 && (await seesEarlierProcess(database))) throw new EarlierProcess();
    const before = await readDeclaredFields(database);
    const check = await withProgress('Checking', ({ progress }) => checkStoredValues(database, definitions, progress));
    if (isApplied) await database.transaction((tx) => storeDefinitions(tx, definitions, check.unfitting));
    const isRebuildDue = await isDue(database, alias, definitions);
    const removed = [...before.keys()].filter((name) => !definitions.has(name));
    const report = { fields: [...definitions.keys()], removed, check, isRebuildDue };
    if (json) printJson(toJson(report, isApplied));
    else print(report, isApplied);
  });
}

/** @throws Error with everything that is wrong with the file */
async function definitionsIn(file: string): Promise<Definitions> {
  const name = file === STANDARD_INPUT ? 'Standard input' : file;
  const read = readDefinitions(parsed(name, await textIn(file)));
  if ('definitions' in read) return read.definitions;
  const lines = read.errors.map(({ path, detail }) => `- ${path === '' ? 'it' : path} ${detail}`);
  throw new WrongFile([`${name} does not declare fields:`, ...lines]);
}

async function textIn(file: string): Promise<string> {
  if (file === STANDARD_INPUT) return text(process.stdin);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

function parsed(name: string, json: string): unknown {
  try {
    // Editors of Windows begin a file with a byte order mark.
    return JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Error(`${name} is not JSON: ${errorMessage(error)}`, { cause: error });
  }
}

type Report = { fields: string[]; removed: string[]; check: StoredCheck; isRebuildDue: boolean };

/** Until there is a searched index, the first indexer makes one by the definitions of that moment. */
async function isDue({ query }: Database, alias: string, definitions: Definitions): Promise<boolean> {
  // The same as `aliasOf`, whose module loads the languages.
  const [searched] = await query<{ fields: StoredDefinitions }>(
    `select fields from index_target where role = 'search' and regexp_replace(index_name, '-v\\d+-\\d+$', '') = $1`,
    [alias],
  );
  return searched !== undefined && needsRebuild(definitions, fromStored(searched.fields));
}

function toJson({ fields, removed, check, isRebuildDue }: Report, isApplied: boolean): object {
  const { items, ...found } = check;
  const counts = Object.fromEntries(Object.entries(found).map(([kind, byField]) => [kind, Object.fromEntries(byField)]));
  return { applied: isApplied, fields, removed, items, ...counts, rebuildDue: isRebuildDue };
}

function print({ fields, removed, check, isRebuildDue }: Report, isApplied: boolean): void {
  const declared = fields.length === 0 ? 'No fields are declared' : `Fields: ${fields.join(', ')}`;
  printLine(`${declared}${isApplied ? '' : ' by the file; nothing was stored'}.`);
  if (removed.length > 0) printLine(`${isApplied ? 'Removed' : 'It removes'} ${removed.join(', ')}; the values of items are kept.`);
  printCheck(check);
  const due = isApplied ? 'A rebuild is due' : 'A rebuild will be due';
  printMessage(isRebuildDue ? `${due}: npx pnpm index:rebuild` : 'The index needs nothing.');
}

function printCheck({ unfitting, outside, lacking }: StoredCheck): void {
  for (const [name, items] of unfitting)
    printLine(
      `- ${name}: the values of ${inItems(items)} do not fit. They are kept and exported, and neither returned, found nor counted.`,
    );
  for (const [name, items] of outside)
    printLine(
      `- ${name}: the values of ${inItems(items)} are outside of what is allowed now. They are kept and returned, found and counted.`,
    );
  for (const [name, items] of lacking)
    printLine(`- ${name} is required, and ${inItems(items)} ${items === 1 ? 'lacks' : 'lack'} it: that is asked of new items only.`);
}

function inItems(count: number): string {
  return count === 1 ? '1 item' : `${count.toLocaleString('en')} items`;
}
