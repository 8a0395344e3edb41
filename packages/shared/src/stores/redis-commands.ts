/** Arguments with which each command runs on a key that holds an empty string, and changes nothing outside of it. */
const ARGUMENTS = {
  bzpopmin: ['KEY', '0.01'],
  del: ['KEY'],
  eval: ['return 1', '0'],
  evalsha: ['0000000000000000000000000000000000000000', '0'],
  exists: ['KEY'],
  expire: ['KEY', '10'],
  get: ['KEY'],
  hdel: ['KEY', 'x'],
  hexists: ['KEY', 'x'],
  hget: ['KEY', 'x'],
  hgetall: ['KEY'],
  hincrby: ['KEY', 'x', '1'],
  hmget: ['KEY', 'x'],
  hmset: ['KEY', 'x', '1'],
  hset: ['KEY', 'x', '1'],
  incr: ['KEY'],
  incrby: ['KEY', '1'],
  lindex: ['KEY', '0'],
  llen: ['KEY'],
  lpush: ['KEY', 'x'],
  lrange: ['KEY', '0', '0'],
  lrem: ['KEY', '0', 'x'],
  ltrim: ['KEY', '0', '0'],
  persist: ['KEY'],
  pexpire: ['KEY', '10000'],
  pttl: ['KEY'],
  rename: ['KEY', 'KEY'],
  rpop: ['KEY'],
  rpoplpush: ['KEY', 'KEY'],
  rpush: ['KEY', 'x'],
  sadd: ['KEY', 'x'],
  scard: ['KEY'],
  set: ['KEY', ''],
  smembers: ['KEY'],
  srem: ['KEY', 'x'],
  xadd: ['KEY', '*', 'x', 'x'],
  xtrim: ['KEY', 'MAXLEN', '0'],
  zadd: ['KEY', '1', 'x'],
  zcard: ['KEY'],
  zcount: ['KEY', '0', '1'],
  zpopmin: ['KEY'],
  zrange: ['KEY', '0', '0'],
  zrangebyscore: ['KEY', '0', '1'],
  zrem: ['KEY', 'x'],
  zremrangebyrank: ['KEY', '0', '0'],
  zremrangebyscore: ['KEY', '0', '0'],
  zrevrange: ['KEY', '0', '0'],
  zrevrangebyscore: ['KEY', '1', '0'],
  zscore: ['KEY', 'x'],
} satisfies Record<string, string[]>;

/** Every command that the service needs: its own, and those of the scripts of BullMQ and of the rate limiter. */
export const REDIS_COMMANDS = Object.keys(ARGUMENTS);

/** All of these commands on `key`; the last one deletes it. */
export function commandsOn(key: string): string[][] {
  const { del, ...others } = ARGUMENTS;
  return Object.entries({ ...others, del }).map(([name, values]) => [name, ...values.map((value) => (value === 'KEY' ? key : value))]);
}
