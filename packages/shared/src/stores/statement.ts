import type { Attributes } from '@opentelemetry/api';
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

/** A statement begins with its name as a comment, or has one as a part of it. */
const COMMENT = /\/\* ([\w: ]+) \*\//;
const VERB = /^\s*(\w+)/;
const TABLE = /^[^']*?\b(?:from|into|update)\s+(\w+)/;

/** Names the statement for a span, without its text. */
export function describeStatement(statement: Statement): { name: string; attributes: Attributes } {
  const text = textOf(statement);
  const [, comment] = COMMENT.exec(text) ?? [];
  const own = typeof statement === 'string' ? undefined : statement.name;
  const words = [VERB.exec(text)?.[1], TABLE.exec(text)?.[1]].filter((word) => word !== undefined);
  const name = own ?? comment ?? words.join(' ');
  return { name, attributes: { 'db.system.name': 'postgresql' } };
}
