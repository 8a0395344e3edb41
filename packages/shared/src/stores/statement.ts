import type pg from 'pg';

export type Row = pg.QueryResultRow;
/** A statement with a name is prepared once per connection, so that PostgreSQL parses and plans it only once. */
export type Statement = string | { name: string; text: string };
/** Rows have camelCase names: the column `content_id` is `contentId`. */
export type Query = <R extends Row>(statement: Statement, values?: unknown[]) => Promise<R[]>;

declare const transaction: unique symbol;
/** Runs statements in a transaction. The brand ensures that only `Database.transaction` creates one. */
export type Tx = { query: Query; readonly [transaction]: true };

export function textOf(statement: Statement): string {
  return typeof statement === 'string' ? statement : statement.text;
}
