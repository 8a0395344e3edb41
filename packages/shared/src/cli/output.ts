/** Prints a message to standard error; on a terminal it replaces a progress bar, which is drawn again below it. */
export function printMessage(message: string): void {
  process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${message}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printColumns(rows: string[][]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}
