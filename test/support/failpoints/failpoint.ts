import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Order, Point } from './failpoints.ts';
import type { Database, Query, Statement, Tx } from '@ugc/shared/postgres/postgres';

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

/** The name of a statement: the SQL comment in its text, such as `outbox: claim`. */
type StatementName = `outbox: ${string}`;
type Points = Partial<Record<Point, StatementName>>;
/** The points after a statement, and after the commit of a transaction with a statement. */
export type Stops = { afterStatement: Points; afterCommit: Points };

/** A database with failpoints after some statements and commits. */
export function stoppingDatabase(database: Database, { afterStatement, afterCommit }: Stops): Database {
  const watch = (query: Query, points: Points): Query => {
    return async (statement, values) => stopAfter(textOf(statement), await query(statement, values), points);
  };
  const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const texts: string[] = [];
    const result = await database.transaction((tx) => {
      const query = watch(tx.query, afterStatement);
      const recorded: Query = (statement, values) => {
        texts.push(textOf(statement));
        return query(statement, values);
      };
      return work({ query: recorded } as Tx);
    });
    return stopAfter(texts.join('\n'), result, afterCommit);
  };
  return { ...database, query: watch(database.query, afterStatement), write: watch(database.write, afterCommit), transaction };
}

function textOf(statement: Statement): string {
  return typeof statement === 'string' ? statement : statement.text;
}

async function stopAfter<T>(text: string, result: T, points: Points): Promise<T> {
  for (const [point, name] of Object.entries(points)) if (text.includes(`/* ${name} */`)) await failpoint(point as Point);
  return result;
}
