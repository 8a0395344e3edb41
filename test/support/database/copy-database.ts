import { randomBytes } from 'node:crypto';
import { createDatabase } from './database.ts';
import type { Environment } from '../processes/environment.ts';

/**
 * Copies the database of a service that is stopped, as a restored dump: with the same contents and another identity.
 * @returns the environment of a service on the copy
 */
export async function copyDatabase(env: Environment, overrides: Environment = {}): Promise<Environment> {
  const source = new URL(env['DATABASE_URL'] ?? '').pathname.slice(1);
  const name = `c${randomBytes(6).toString('hex')}`;
  return { ...env, DATABASE_URL: await createDatabase(name, source), ...overrides };
}
