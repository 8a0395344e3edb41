import { CHECKOUT } from '@ugc/local-stack/service-process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCommands } from '../processes/command.ts';

type Help = { words: string[]; text: string };

/** The commands of the services, an entry for each argument, option and exit code, from what `--help` prints. */
export function commandEntries(): string[] {
  const files = globSync('services/*/src/commands/*.ts', { cwd: CHECKOUT });
  const commands = files.filter((file) => /await run\w*Command\(/.test(readFileSync(join(CHECKOUT, file), 'utf8')));
  const helps = helpOf(commands.map((file) => [file]));
  const subcommands = helpOf(helps.flatMap(({ words, text }) => subcommandsOf(text).map((name) => [...words, name])));
  return [...helps, ...subcommands].flatMap(entriesOf);
}

/** The scripts of package.json by which operators call them. */
export function scriptEntries(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const ofServices = Object.entries(scripts).filter(([, line]) => /\bservices\/|packages\/local-stack\//.test(line));
  return ofServices.map(([name, line]) => `npx pnpm ${name}: ${line.replace(/^node (--\S+ )*/, '')}`);
}

function helpOf(commands: string[][]): Help[] {
  const printed = parseCommands(commands.map((words) => [...words, '--help']));
  return printed.map(({ message }, n) => ({ words: commands[n] ?? [], text: message }));
}

function entriesOf({ words, text }: Help): string[] {
  const name = words.join(' ');
  const usage = /^Usage: .*$/m.exec(text)?.[0] ?? '';
  const all = usage.match(/<[^>]+>|\[(?!options|command)[^\]]+\]/g) ?? [];
  // An optional argument may be added behind the others.
  const required = all.filter((argument) => argument.startsWith('<'));
  return [
    name,
    `${name}: ${required.length} required arguments`,
    ...all.map((argument, n) => `${name}: argument ${n + 1} ${argument}`),
    ...linesOf(text, 'Options').map((line) => `${name}: option ${line}`),
    ...linesOf(text, 'Exit codes').map((line) => `${name}: exit code ${line}`),
  ];
}

function subcommandsOf(text: string): string[] {
  return linesOf(text, 'Commands').flatMap((line) => line.split(/[ |]/)[0] ?? []).filter((name) => name !== 'help'); // prettier-ignore
}

/** The first column of the lines below a heading. */
function linesOf(text: string, heading: string): string[] {
  const [, lines = ''] = new RegExp(`^${heading}:\\n((?: .*\\n)+)`, 'm').exec(`${text}\n`) ?? [];
  return [...lines.matchAll(/^ {2}(\S.*?)(?: {2,}.*)?$/gm)].map(([, first = '']) => first);
}
