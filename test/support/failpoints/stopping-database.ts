import type { Database, Query, Tx } from '@ugc/shared/stores/postgres';
import { failpoint } from './failpoint.ts';
import type { Point } from './failpoints.ts';

/** The name of a statement: the SQL comment in its text, such as `outbox: claim`. */
type StatementName = `outbox: ${string}`;
type Points = Partial<Record<Point, StatementName>>;
/** The points after a statement, and after the commit of a transaction with a statement. */
export type Stops = { afterStatement: Points; afterCommit: Points };

/** A database with failpoints after some statements and commits. */
export function stoppingDatabase(database: Database, { afterStatement, afterCommit }: Stops): Database {
  const query: Query = async (text, values) => stopAfter(text, await database.query(text, values), afterStatement);
  const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const texts: string[] = [];
    const result = await database.transaction((tx) => {
      const watched: Query = async (text, values) => {
        texts.push(text);
        return stopAfter(text, await tx.query(text, values), afterStatement);
      };
      return work({ query: watched } as Tx);
    });
    return stopAfter(texts.join('\n'), result, afterCommit);
  };
  return { ...database, query, transaction };
}

async function stopAfter<T>(text: string, result: T, points: Points): Promise<T> {
  for (const [point, name] of Object.entries(points)) if (text.includes(`/* ${name} */`)) await failpoint(point as Point);
  return result;
}
