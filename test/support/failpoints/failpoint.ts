import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Order, Point } from './failpoints.ts';

/** Runs in a process under test: follows the test's order for this point, if there is one. */
export async function failpoint(point: Point, doing = ''): Promise<void> {
  const path = join(process.env['FAILPOINTS'] ?? '', point);
  const order = takeOrder(path, doing);
  if (order?.then === 'crash') process.kill(process.pid, 'SIGKILL');
  if (order?.then === 'block') blockUntil(`${path}.released`);
  if (order?.then === 'wait') while (!existsSync(`${path}.released`)) await delay(20);
}

// Only one of several processes can rename a file, so only one of them follows the order.
function takeOrder(path: string, doing: string): Order | undefined {
  try {
    const order = JSON.parse(readFileSync(`${path}.ordered`, 'utf8')) as Order;
    if (order.then === 'crash') return doing.includes(order.doing) ? order : undefined;
    renameSync(`${path}.ordered`, `${path}.taken`);
    writeFileSync(`${path}.reached`, String(process.pid));
    return order;
  } catch {
    return undefined;
  }
}

/** Blocks the event loop. */
function blockUntil(file: string): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(file)) Atomics.wait(never, 0, 0, 20);
}
