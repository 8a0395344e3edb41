import type pg from 'pg';
import { toFieldName } from './column-names.ts';
import { DatabaseUnavailable, toDatabaseError } from './postgres-errors.ts';
import { describeStatement, textOf, type Row, type Statement } from './statement.ts';
import { endSpan, startClientSpan } from '../tracing/spans.ts';

export type Send = <R extends Row>(client: pg.PoolClient, statement: Statement, values?: unknown[]) => Promise<R[]>;

/** The server ends a statement after its timeout; without a response after this time, it is unreachable. */
const RESPONSE_MARGIN_MS = 200;

type SenderOptions = { statementTimeoutMs: number; isPrepared: (client: pg.ClientBase) => boolean };

/**
 * Sends statements whose rows have camelCase names, and closes the connection if there is no response in time. The client's own `query_timeout` and its
 * promises keep each statement and its rows in memory until the next collection of the complete heap, because V8
 * allocates a function that is assigned to a property in its old generation.
 */
export function sender({ statementTimeoutMs, isPrepared }: SenderOptions): Send {
  return <R extends Row>(client: pg.PoolClient, statement: Statement, values: unknown[] = []) =>
    new Promise<R[]>((resolve, reject) => {
      const span = startClientSpan(() => describeStatement(statement));
      const timer = setTimeout(() => {
        const error = new DatabaseUnavailable('PostgreSQL did not respond in time');
        endSpan(span, error);
        reject(error);
        void client.end();
      }, statementTimeoutMs + RESPONSE_MARGIN_MS);
      const query = { ...toQuery(statement, isPrepared(client)), values, rowMode: 'array' as const };
      client.query<unknown[]>(query, (error: Error | null, result) => {
        clearTimeout(timer);
        endSpan(span, error);
        if (error) reject(toDatabaseError(error));
        else resolve(toRows(result) as R[]);
      });
    });
}

function toQuery(statement: Statement, isPrepared: boolean): { name?: string; text: string } {
  return isPrepared && typeof statement !== 'string' ? statement : { text: textOf(statement) };
}

/** A text of several statements, such as the beginning of a transaction, has an array of results and returns no rows. */
function toRows(result: pg.QueryArrayResult<unknown[]> | pg.QueryArrayResult[]): Row[] {
  if (Array.isArray(result)) return [];
  const names = result.fields.map((field) => toFieldName(field.name));
  return result.rows.map((values) => toRow(names, values));
}

function toRow(names: string[], values: unknown[]): Row {
  const row: Row = {};
  for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i];
  return row;
}
