import type { Database, Query, Tx } from '@ugc/shared/stores/postgres';
import { failpoint } from './failpoint.ts';
import type { Point } from './failpoints.ts';

/** The points after a statement that contains this text: once it has run, or once its transaction is committed. */
export type Stops = { afterStatement: Partial<Record<Point, string>>; afterCommit: Partial<Record<Point, string>> };

/** A database that stops after some statements and commits. */
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

async function stopAfter<T>(text: string, result: T, points: Partial<Record<Point, string>>): Promise<T> {
  for (const [point, part] of Object.entries(points)) if (text.includes(part)) await failpoint(point as Point);
  return result;
}
