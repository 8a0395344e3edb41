import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** A change of the ends is reported for these. A PEM in JWT_PUBLIC_KEY always ends with a line feed. */
const SECRETS = [
  'JWT_SECRET',
  'DATABASE_URL',
  'REDIS_URL',
  'REDIS_SENTINEL_PASSWORD',
  'ELASTICSEARCH_URL',
  'ELASTICSEARCH_API_KEY',
  'EMBEDDINGS_API_KEY',
];
/** Those that may be in a file: NAME_FILE. */
export const READ_FROM_FILE = [...SECRETS, 'JWT_PUBLIC_KEY'];

type Values = {
  /** The variables that are not empty. */
  values: Record<string, string>;
  /** The key is the name of the variable. */
  problems: Map<string, string>;
  /** They name variables, never values. */
  warnings: string[];
};

/**
 * The values of the variables `names` and of their files. Blanks and invisible characters at the ends are removed. A
 * value in quotes is a problem: shells and Compose remove quotes, `docker run --env-file` and Kubernetes do not.
 */
export function readValues(env: NodeJS.ProcessEnv, names: string[]): Values {
  const result: Values = { values: {}, problems: new Map(), warnings: [] };
  for (const name of names) {
    const value = readOwn(name, env, result) ?? readFromFile(name, env, result);
    if (value !== undefined) result.values[name] = value;
  }
  return result;
}

/** What is wrong with these variables, apart from their meaning. */
export function problemsOf(names: string[], env: NodeJS.ProcessEnv = process.env): string[] {
  return [...readValues(env, names).problems.values()];
}

/** The same rule for programs that read single variables. @returns undefined if the variable is empty */
export function readVariable(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  return trimInvisible(env[name] ?? '') || undefined;
}

/**
 * What the file of a variable contains now: a secret may have been rotated since the start.
 * @returns undefined if the variable is not from a file, or if the file has no valid value
 */
export function readFileAgain(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (readVariable(name, env) !== undefined) return undefined;
  const { values, problems } = readValues(env, [name]);
  return problems.has(name) ? undefined : values[name];
}

function readOwn(name: string, env: NodeJS.ProcessEnv, result: Values): string | undefined {
  const given = env[name] ?? '';
  const value = trimInvisible(given);
  if (value === '') return undefined;
  if (isQuoted(value)) result.problems.set(name, quoted(`${name}:`));
  if (value !== given && SECRETS.includes(name)) result.warnings.push(trimmed(name));
  return value;
}

function readFromFile(name: string, env: NodeJS.ProcessEnv, result: Values): string | undefined {
  const variable = `${name}_FILE`;
  const path = trimInvisible(env[variable] ?? '');
  if (path === '' || !READ_FROM_FILE.includes(name)) return undefined;
  const bytes = isQuoted(path) ? undefined : readBytes(path);
  const given = String(bytes ?? '');
  const value = trimInvisible(given);
  const problem = problemOfFile({ variable, path, bytes, value });
  if (problem !== undefined) result.problems.set(name, problem);
  // Editors and `echo` end a file with a line feed.
  if (value !== given.replace(/\r?\n$/, '') && SECRETS.includes(name)) result.warnings.push(trimmed(variable));
  return value || undefined;
}

type ReadFile = { variable: string; path: string; bytes: Buffer | undefined; value: string };

function problemOfFile({ variable, path, bytes, value }: ReadFile): string | undefined {
  if (isQuoted(path)) return quoted(`${variable}:`);
  // Something else may be the secret itself.
  if (!bytes && !isAbsolute(path)) return `${variable}: must be the absolute path of a file that can be read, which contains the value`;
  if (!bytes) return `${variable}: the file ${path} cannot be read`;
  if (value === '') return `${variable}: the file ${path} is empty`;
  if (isUtf16(bytes)) return `${variable}: the file ${path} is UTF-16; store it as UTF-8`;
  return isQuoted(value) ? quoted(`${variable}: the content of the file ${path}`) : undefined;
}

function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Windows' editors and PowerShell's `>` write such files. */
function isUtf16(bytes: Buffer): boolean {
  return ['fffe', 'feff'].includes(bytes.subarray(0, 2).toString('hex'));
}

function isQuoted(value: string): boolean {
  return /^(["']).*\1$/s.test(value);
}

function quoted(what: string): string {
  return `${what} begins and ends with a quote, which would be part of the value; remove both quotes`;
}

function trimmed(name: string): string {
  const signed = name.startsWith('JWT_SECRET') ? 'Tokens must be signed with the secret without them.' : undefined;
  const what = `${name}: blanks, line ends or invisible characters at the ends of the value are not used.`;
  return [what, signed, 'Store the value without them.'].filter((sentence) => sentence !== undefined).join(' ');
}

/** Blanks, line ends, control characters, and format characters such as a byte order mark or a zero-width space. */
const INVISIBLE = /^[\p{White_Space}\p{Cc}\p{Cf}]$/u;

/** Removes invisible characters at both ends. A loop, because a pattern is quadratic for long runs inside. */
function trimInvisible(text: string): string {
  const characters = [...text];
  const first = characters.findIndex((character) => !INVISIBLE.test(character));
  const last = characters.findLastIndex((character) => !INVISIBLE.test(character));
  return first === -1 ? '' : characters.slice(first, last + 1).join('');
}
