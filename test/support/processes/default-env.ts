import { ApiEnv } from '@ugc/api/env';
import { parseEnv } from '@ugc/shared/config/env';
import { SECRET } from '../http/tokens.ts';

/** The configuration with all defaults. Its servers do not exist. */
export function defaultEnv(): ApiEnv {
  const stores = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h', ELASTICSEARCH_URL: 'http://h' };
  return parseEnv(ApiEnv, { ...stores, JWT_SECRET: SECRET });
}
