import { COMPOSE_VARIABLES, LOCAL_VARIABLES, SERVICE_VARIABLES } from './known-variables.ts';
import { READ_FROM_FILE } from './env-values.ts';

const OWN = [...SERVICE_VARIABLES, ...LOCAL_VARIABLES];
const READ = [...OWN, ...READ_FROM_FILE.map((name) => `${name}_FILE`)];
const WORDS_OF_OWN = new Map(OWN.map((name) => [name, wordsOf(name)]));
const KNOWN = new Set([...READ, ...COMPOSE_VARIABLES]);

/**
 * Other programs have many variables with these first words: of those that are not known, a name is suspicious only if it is
 * nearly a known one.
 */
const FIRST_WORDS_OF_OTHERS = ['ELASTICSEARCH', 'OTEL', 'REDIS'].map(stem);
/** So common that the second word must be equal too. */
const COMMON_FIRST_WORDS = [
  ...['BODY', 'CONTENT', 'DATA', 'DATABASE', 'DESCRIPTION', 'ITEM', 'LIST', 'LOCAL', 'LOG', 'NAME', 'PAGE', 'PORT', 'PUBLIC', 'QUEUE'],
  ...['RATE', 'SEARCH', 'STORE', 'TAG', 'UPLOAD', 'USER', 'WEB'],
].map(stem);

/** Kubernetes sets them for each service of the namespace, and so did links of Docker. */
const SERVICE_LINK = /_(SERVICE_(HOST|PORT(_.+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?|ENV_.+)$/;
const LINKED_ADDRESS = /^(tcp|udp|sctp):\/\//;
/** Values of variables can be secrets; a name that is none is not repeated either. */
const NAME = /^[A-Za-z][\w-]{0,99}$/;

/** A warning for each name in the environment that is probably meant for this service, and that nothing reads. */
export function misspeltVariables(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (KNOWN.has(name) || !NAME.test(name) || SERVICE_LINK.test(name) || LINKED_ADDRESS.test(value)) return [];
    const meant = meantBy(name, env);
    return meant === undefined ? [] : [`${name} is no variable of this service and has no effect; the nearest one is ${meant}.`];
  });
}

function meantBy(given: string, env: NodeJS.ProcessEnv): string | undefined {
  const name = given.toUpperCase().replaceAll('-', '_');
  // A file is read for secrets only.
  const ofFile = name.replace(/_FILE$/, '');
  if (KNOWN.has(ofFile)) return ofFile === given ? undefined : ofFile;
  const words = wordsOf(name);
  const akin = OWN.filter((known) => beginsLike(words, WORDS_OF_OWN.get(known) ?? []));
  const more = akin.filter((known) => WORDS_OF_OWN.get(known)?.[1] === words[1]);
  if (akin.length > 0) return nearest(name, more.length > 0 ? more : akin);
  const similar = nearest(name, READ.filter((known) => isSimilar(name, known))); // prettier-ignore
  // With the right one beside it, it is that of another program.
  return similar === undefined || env[similar] ? undefined : similar;
}

function beginsLike([first = '', second = '']: string[], [knownFirst, knownSecond, ...more]: string[]): boolean {
  if (first !== knownFirst || second === '' || FIRST_WORDS_OF_OTHERS.includes(first)) return false;
  if (!COMMON_FIRST_WORDS.includes(first)) return true;
  return second === knownSecond && more.length > 0;
}

function wordsOf(name: string): string[] {
  return name.split('_').map(stem);
}

/** `INDEXES_…` begins like `INDEX_…`. */
function stem(word: string): string {
  return word.replace(/(?<=X)ES$|S$/, '');
}

/** One letter of six may differ, at most two, and none of a short name. */
function isSimilar(name: string, known: string): boolean {
  const most = known.length < 8 ? 0 : Math.min(2, Math.floor(known.length / 6));
  return Math.abs(name.length - known.length) <= most && distance(name, known, most) <= most;
}

function nearest(name: string, candidates: string[]): string | undefined {
  const distances = candidates.map((known) => [distance(name, known), known] as const);
  return distances.toSorted(([a], [b]) => a - b)[0]?.[1];
}

/** How many letters must be added, removed or replaced. Above `most`, which nearly all names are, any greater number. */
function distance(a: string, b: string, most = Infinity): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...a].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...b].entries())
      next.push(Math.min((next[column] ?? 0) + 1, (row[column + 1] ?? 0) + 1, (row[column] ?? 0) + (letter === other ? 0 : 1)));
    if (Math.min(...next) > most) return Infinity;
    row = next;
  }
  return row.at(-1) ?? 0;
}
