import type { Attributes } from '@opentelemetry/api';
import pg from 'pg';
import { DatabaseUnavailable, toDatabaseError } from './errors.ts';
import { endSpan, startClientSpan } from '../tracing/spans.ts';

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

const fieldNames = new Map<string, string>();

/** @returns for example `contentId` for the column `content_id`; a name without `_` as it is */
function toFieldName(column: string): string {
  const known = fieldNames.get(column);
  if (known !== undefined) return known;
  const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  fieldNames.set(column, name);
  return name;
}

/** @returns for example `content_id` for the field `contentId` */
export function toColumn(fieldName: string): string {
  return fieldName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** Tells pg how to read the values of a type. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  // All bigint values of the schema are ids and counts below 2^53.
  if (oid === INT8) return Number;
  return oid === TIMESTAMPTZ && format !== 'binary' ? parseTime : pg.types.getTypeParser(oid, format);
}

const parseIso = pg.types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => unknown;

/** Other formats of PostgreSQL would silently become another time. @throws Error */
function parseTime(text: string): unknown {
  if (/^(\d{4,6}-|-?infinity)/.test(text)) return parseIso(text);
  throw new Error('PostgreSQL returned a time that is not in the format of DateStyle ISO');
}
