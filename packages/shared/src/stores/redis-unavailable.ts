/** Why Redis cannot be used, as a sentence without a full stop. @param error the last one of the connection, if any */
export function describeRedisFailure(url: string, error: Error | undefined): string {
  const { hostname, port } = new URL(url);
  const redis = `Redis at ${hostname}:${port || 6379}`;
  const message = error?.message ?? '';
  if (message.startsWith('NOAUTH')) return `${redis} requires a password: add user and password to REDIS_URL`;
  if (/^(WRONGPASS|ERR (AUTH|invalid password))/.test(message)) return `${redis} does not accept the user and password in REDIS_URL`;
  if (/protocol error/i.test(message)) return `The server at ${hostname}:${port} is not Redis: correct REDIS_URL`;
  if (error?.name === 'ReplyError') return `${redis} refuses the connection: ${message}`;
  return `${redis} does not respond${message && `: ${message}`}`;
}
