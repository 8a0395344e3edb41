import { describe, expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommands } from '../support/processes/command.ts';
import { parse } from 'yaml';
import { documentedLines, namedScripts } from '../support/processes/documented-lines.ts';

type PackageJson = { packageManager: string; scripts: Record<string, string>; devDependencies: Record<string, string> };

const { packageManager, scripts, devDependencies } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as PackageJson;
const OTHER_VERSION = packageManager.replace('pnpm@', '');

/** @returns undefined if npx cannot get this version */
function pnpmOf(version: string): string | undefined {
  if (version === devDependencies['pnpm']) return join(CHECKOUT, 'node_modules/.bin/pnpm');
  const args = ['--yes', '--package', `pnpm@${version}`, '-c', 'command -v pnpm'];
  try {
    return execFileSync('npx', args, { cwd: tmpdir(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** In place of each script, one that prints its name and its arguments. */
const PRINTED = Object.keys(scripts).map((name) => [name, `printf '\\037%s' '${name}'`]);
const PRINTING = `
  npx() { shift; "$PNPM" "$@"; }
  node() { printf '\\037%s' "$@"; }
`;

/** @returns for each line the words that its program gets, or none if pnpm does not run a script */
function wordsOf(lines: string[], pnpm: string): string[][] {
  const cwd = mkdtempSync(join(tmpdir(), 'documented-'));
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts: Object.fromEntries(PRINTED) as object }));
  const script = `${PRINTING}${lines.map((line) => `${line} 2>> errors; printf '\\036'`).join('\n')}`;
  const printed = execFileSync('sh', { cwd, env: { PATH: process.env['PATH'], PNPM: pnpm }, input: script, encoding: 'utf8' });
  return printed
    .split('\x1e')
    .slice(0, -1)
    .map((words) => words.split('\x1f').slice(1));
}

/** The others are for developers. */
const OF_SERVICES = Object.keys(scripts).filter((name) => scripts[name]?.includes('services/'));
const COMMANDS = documentedLines().filter(({ line }) =>
  line.split(' ').some((word) => OF_SERVICES.includes(word) || word.startsWith('services/')),
);
const SCRIPTS = namedScripts();

describe.each([devDependencies['pnpm'] ?? '', OTHER_VERSION])('pnpm %s', (version) => {
  const pnpm = pnpmOf(version);
  const name = pnpm === undefined ? ' (skipped: npx cannot get this version)' : '';

  (pnpm === undefined ? it.skip : it)(`runs each script that help, messages and documents name, as they write it${name}`, () => {
    const run = wordsOf(SCRIPTS, pnpm ?? '');
    expect(SCRIPTS.length).toBeGreaterThan(25);
    expect(SCRIPTS.filter((line, n) => run[n]?.join() !== line.split(' ').at(-1))).toEqual([]);
  });
});

/** Each command reads it after its arguments. */
const CONFIGURATION_IS_WRONG = 78;

/** The file of a command, and what stands before its arguments. */
function fileOf([name = '', ...args]: string[]): string[] {
  const [, file, own] = /(services\/\S+\.ts)(.*)/.exec(scripts[name] ?? name) ?? [];
  return file === undefined ? [] : [file, ...(own?.split(' ').filter((word) => word !== '') ?? []), ...args];
}

it('each command of the services in a document is accepted by its parser, with the arguments that it gets from pnpm', () => {
  const words = wordsOf(
    COMMANDS.map(({ line }) => line),
    pnpmOf(devDependencies['pnpm'] ?? '') ?? '',
  );
  const own = COMMANDS.map((command, n) => ({ ...command, words: fileOf(words[n] ?? []) }));
  expect(own.length).toBeGreaterThan(50);
  expect(own.filter((command) => command.words.length === 0)).toEqual([]);
  const ended = parseCommands(own.map((command) => command.words));
  const refused = own.flatMap(({ document, line, isInSentence }, n) => {
    const { code, message } = ended[n] ?? { code: NaN, message: '' };
    const isNameOnly = isInSentence && /missing required argument|required option|specify either the ids/.test(message);
    return code === CONFIGURATION_IS_WRONG || code === 0 || isNameOnly ? [] : [{ document, line, message }];
  });
  expect(refused).toEqual([]);
});

it('the first start gives no warnings of packages that the installed Node.js does not run, but that of the services does', () => {
  const workspace = parse(readFileSync(join(CHECKOUT, 'pnpm-workspace.yaml'), 'utf8')) as { nodeVersion: string };
  expect(devDependencies['node']).toBe(`^${workspace.nodeVersion}`);
});
