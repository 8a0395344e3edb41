import { stripTypeScriptTypes } from 'node:module';

/** Whether Node.js can run it. */
export function parses(source: string): boolean {
  try {
    stripTypeScriptTypes(source);
    return true;
  } catch {
    return false;
  }
}
