import { readFileSync } from 'node:fs';

/** The last line of a service's log. */
export function lastLogLine(path: string | undefined): Record<string, unknown> {
  const lines = readFileSync(path ?? '', 'utf8')
    .trimEnd()
    .split('\n');
  return JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>;
}
