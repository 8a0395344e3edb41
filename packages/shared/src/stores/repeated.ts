import { setTimeout as delay } from 'node:timers/promises';
import { isSerializationFailure, StaleStatement } from './postgres-errors.ts';

const REPEATS_MAX = 5;
const WAIT_MAX_MS = 20;

/**
 * Repeats one statement that PostgreSQL has not executed, or has rolled back: any number of them can be in conflict
 * with each other, and a prepared statement is no longer valid after a migration. An error of a single statement always
 * means that nothing was changed, so this is safe for writes too.
 */
export async function repeated<T>(run: (isRepeated: boolean) => Promise<T>): Promise<T> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await run(repeats > 0);
    } catch (error) {
      if (repeats >= repeatsMax(error)) throw error;
      if (isSerializationFailure(error)) await delay(Math.random() * WAIT_MAX_MS * (repeats + 1));
    }
  }
}

function repeatsMax(error: unknown): number {
  if (error instanceof StaleStatement) return 1;
  return isSerializationFailure(error) ? REPEATS_MAX : 0;
}
