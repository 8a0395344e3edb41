import { certificateProblem } from '../process/certificate-problem.ts';
import { describeRedisAddress, type RedisAddress } from '../process/redis-address.ts';

/** Why Redis cannot be used, as a sentence without a full stop. @param error the last one of the connection, if any */
export function describeRedisFailure(address: RedisAddress, error: Error | undefined): string {
  const hosts = describeRedisAddress(address);
  const redis = `Redis at ${hosts}`;
  const message = error?.message ?? '';
  if (message.startsWith('NOAUTH')) return `${redis} requires a password: add user and password to REDIS_URL`;
  if (/^(WRONGPASS|ERR (AUTH|invalid password))/.test(message)) return `${redis} does not accept the user and password in REDIS_URL`;
  if (/protocol error/i.test(message)) return `The server at ${hosts} is not Redis: correct REDIS_URL`;
  if (error?.name === 'ReplyError') return `${redis} refuses the connection: ${message}`;
  return certificateProblem(redis, message) ?? `${redis} does not respond${message && `: ${message}`}`;
}
