import { readFileSync, writeFileSync } from 'node:fs';

/** A table of docs/ between two comments, which is generated from the source. */
export type DocsTable = { file: string; begin: string; end: string; header: string[]; rows: string[][] };

/**
 * Compares a table of docs/ with its source. With UPDATE_DOCS=1 it is written instead.
 * @throws Error with the expected table
 */
export function checkTable({ file, begin, end, header, rows }: DocsTable): void {
  const path = new URL(`../../../docs/${file}`, import.meta.url);
  const text = readFileSync(path, 'utf8');
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const expected = `\n\n${lines.join('\n')}\n\n`;
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (!text.includes(begin) || to < from) throw new Error(`docs/${file} must contain the lines ${begin} and ${end}`);
  if (text.slice(from, to) === expected) return;
  if (process.env['UPDATE_DOCS']) return writeFileSync(path, text.slice(0, from) + expected + text.slice(to));
  const command = 'UPDATE_DOCS=1 npx pnpm test unit/documents';
  throw new Error(`The table of docs/${file} is not up to date. Run ${command}, or paste this table:${expected}`);
}
