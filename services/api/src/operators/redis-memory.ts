import type { Redis } from 'ioredis';

export type RedisMemory = { usedBytes: number; limitBytes: number | null; policy: string | undefined };

/** @returns undefined if Redis refuses INFO, as it does for most restricted users @throws Error if it does not respond */
export async function readRedisMemory(redis: Redis): Promise<RedisMemory | undefined> {
  const info = await redis.info('memory').catch((error: unknown) => {
    if (error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message)) return undefined;
    throw error;
  });
  return info === undefined ? undefined : parseMemory(info);
}

function parseMemory(info: string): RedisMemory {
  const bytes = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1];
  return { usedBytes: bytes('used_memory'), limitBytes: bytes('maxmemory') || null, policy };
}
