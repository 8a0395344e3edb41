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
  const end = (): void => void (isDrawn && out.write('\n'));
  return { update, end };
}
