import type { Database, Query, Statement, Tx } from '@ugc/shared/postgres/postgres';
import { failpoint } from './failpoint.ts';
import type { Point } from './failpoints.ts';

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
