const OLDEST = '6.2';

/** @param version such as `7.0.15`; undefined if it is not known */
export function describeOldVersion(version: string | undefined): string[] {
  const isOld = version !== undefined && version.localeCompare(OLDEST, 'en', { numeric: true }) < 0;
  return isOld ? [`Redis has version ${version}, which is too old: it must be version ${OLDEST} or later, or Valkey.`] : [];
}

type Refused = { command: string; message: string };
type Where = { user: string; queuePrefix: string };

/** What Redis refuses, as sentences that say what to do. */
export function describeRefusals(refused: Refused[], where: Where): string[] {
  const [first] = refused;
  if (!first) return [];
  const crossSlot = refused.find(({ message }) => message.startsWith('CROSSSLOT'));
  if (crossSlot) return [inClusterMode(where)];
  const commands = refused.filter(({ message }) => message.startsWith('NOPERM') && !concernsKeys(message));
  const others = refused.filter((refusal) => !commands.includes(refusal));
  const missing = commands.length > 0 ? [missingCommands(commands, where)] : [];
  return [...missing, ...new Set(others.map((refusal) => describe(refusal, where)))];
}

function inClusterMode({ queuePrefix }: Where): string {
  return (
    `Redis runs in cluster mode, in which all keys of the service must be in one hash slot: ` +
    `set QUEUE_PREFIX={${queuePrefix}} for every API and indexer.`
  );
}

function missingCommands(refused: Refused[], { user }: Where): string {
  const names = refused.map(({ command }) => command);
  const rules = names.map((name) => `+${name}`).join(' ');
  return `The Redis user ${user} may not run ${names.join(', ')}: run ACL SETUSER ${user} ${rules}`;
}

function concernsKeys(message: string): boolean {
  return /\bkeys?\b/.test(message);
}

function describe({ command, message }: Refused, { user, queuePrefix }: Where): string {
  const [kind, ...words] = message.split(' ');
  if (kind === 'NOPERM') return `The Redis user ${user} may not access the keys of the service: run ACL SETUSER ${user} ~${queuePrefix}:*`;
  if (kind === 'MOVED') {
    return (
      `Redis is a node of a cluster, and the node ${words[1]} holds the keys of QUEUE_PREFIX=${queuePrefix}. ` +
      `The service uses one node: set REDIS_URL to the one that holds the keys.`
    );
  }
  if (kind === 'CLUSTERDOWN') return `The Redis cluster serves no requests: ${words.join(' ')}.`;
  if (command === 'select') return `Redis refuses the database at the end of REDIS_URL, and database 0 is used: correct it (${message}).`;
  if (/unknown command/i.test(message)) return `Redis does not know the command ${command}: it must be version ${OLDEST} or later.`;
  return `Redis refuses ${command}: ${message}`;
}
