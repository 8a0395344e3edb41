import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A command of this repository in a document, such as `npx pnpm index:status --item 1`; placeholders have a value. */
export type DocumentedLine = {
  document: string;
  line: string;
  /** A sentence may name a command without what it requires. */
  isInSentence: boolean;
};

/** What the shell separates. */
const SIMPLE_COMMANDS = /(?:'[^']*'|"[^"]*"|[^|;&<>()'"])+/g;
const VARIABLES_AND_CONTAINER = /^(?:[A-Z_]+=\S+ +)*(?:(?:docker compose|kubectl) .*?(?=node services\/))?/;
/** What the documents write for a value. */
const PLACEHOLDERS: [RegExp, string][] = [
  [/\bID…|\bID\b/g, '1'],
  [/\bN\b/g, '5'],
  [/[[\]…]/g, ''],
];

/** @returns the commands in the code of all documents, in blocks and in sentences, each once */
export function documentedLines(): DocumentedLine[] {
  const all = files('*.md').flatMap((document) => {
    const text = readFileSync(join(CHECKOUT, document), 'utf8');
    const from = (codes: string[], isInSentence: boolean) => codes.flatMap(commandsOf).map((line) => ({ document, line, isInSentence }));
    return [...from(spansOf(text), true), ...from(blocksOf(text), false)];
  });
  return [...new Map(all.map((one) => [one.line, one])).values()];
}

/** @returns how help, messages and documents call a script, without its arguments, such as `npx pnpm -s run export` */
export function namedScripts(): string[] {
  const texts = files('*.md', 'services', 'packages', 'deploy', 'tools', '*.yml', '.env.example').map((file) =>
    readFileSync(join(CHECKOUT, file), 'utf8'),
  );
  const named = texts.join('\n').matchAll(/npx pnpm(?: -[a-z-]+)*(?: run)? [a-z]+(?::[a-z]+)*\b(?!:?\$)/g);
  return [...new Set([...named].map(([name]) => name))];
}

function files(...patterns: string[]): string[] {
  return execFileSync('git', ['ls-files', ...patterns], { cwd: CHECKOUT, encoding: 'utf8' })
    .trim()
    .split('\n');
}

function blocksOf(text: string): string[] {
  const blocks = text.matchAll(/^ *```sh\n([^]*?)\n *```$/gm);
  return [...blocks].flatMap(([, block = '']) => block.replace(/\\\n\s*/g, '').split('\n'));
}

function spansOf(text: string): string[] {
  const prose = text.replace(/^ *```[^]*?^ *```$/gm, '');
  return [...prose.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, code = '']) => code.replace(/\n\s*/g, ' '));
}

function commandsOf(code: string): string[] {
  const simple = code
    .replaceAll('\\|', '\0')
    .replace(/ #.*/, '')
    .replaceAll(/sh -c '([^']*)'/g, '$1');
  const parts = simple.match(SIMPLE_COMMANDS) ?? [];
  const commands = parts.map((part) => part.trim().replace(VARIABLES_AND_CONTAINER, ''));
  return commands
    .filter((command) => /^(npx pnpm|node services\/)/.test(command))
    .flatMap(alternativesOf)
    .map(withValues);
}

/** `list | retry | drop` are three commands. */
function alternativesOf(line: string): string[] {
  const [, before = '', words = '', after = ''] = /^(.*?)(\S+(?: \0 \S+)+)(.*)$/.exec(line) ?? [];
  return words === '' ? [line] : words.split(' \0 ').map((word) => `${before}${word}${after}`);
}

function withValues(line: string): string {
  return PLACEHOLDERS.reduce((text, [placeholder, value]) => text.replace(placeholder, value), line).trim();
}
