import { escapeJson, inOneLine } from '../process/terminal.ts';

// Names, prompts and errors contain what others have written, so every function makes its arguments harmless.

/** Prints lines to standard error; on a terminal they replace a progress bar, which is drawn again below them. */
export function printMessage(...lines: string[]): void {
  process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${lines.map(inOneLine).join('\n')}\n`);
}

/** Prints a line to standard output, with tabs between its parts. */
export function printLine(...parts: (string | number)[]): void {
  process.stdout.write(`${parts.map((part) => inOneLine(String(part))).join('\t')}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(toJsonLine(value));
}

/** @returns JSON in one line, with the same value, whatever it contains */
export function toJsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}

export function printColumns(texts: string[][]): void {
  const rows = texts.map((row) => row.map(inOneLine));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

const WIDTH = 30;

/** `note` follows the counts. */
export type ProgressBar = { update(done: number, total: number, note?: string): void; end(): void };

export function progressBar(label: string, unit = ''): ProgressBar {
  const out = process.stderr;
  let printedTenth = -1;
  let isDrawn = false;
  const update = (done: number, total: number, note = ''): void => {
    const share = total === 0 ? 1 : Math.min(done / total, 1);
    const counts = `${done.toLocaleString('en')}/${total.toLocaleString('en')}${unit && ` ${unit}`}${note && `, ${note}`}`;
    if (out.isTTY) {
      out.write(`\r\x1b[K${label} ${'█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░')} ${counts} `);
      isDrawn = true;
    } else if (Math.floor(share * 10) > printedTenth) {
      printedTenth = Math.floor(share * 10);
      out.write(`${label} ${counts}\n`);
    }
  };
  const end = (): void => {
    if (isDrawn) out.write('\n');
    isDrawn = false;
  };
  return { update, end };
}
