const BAR_WIDTH = 30;

export type Progress = { update(done: number): void; end(): void };
export type Say = (line: string) => void;

let drawn = false;

/** A bar redrawn on the terminal's last line; nothing where the output is no terminal. */
export function progressLine(label: string, total: number, unit: string): Progress {
  if (!process.stderr.isTTY) return { update: () => undefined, end: () => undefined };
  const update = (done: number) => draw(`${bar(done / total)} ${label} ${Math.min(Math.floor(done), total)} of ${total} ${unit}`);
  update(0);
  return { update, end: clear };
}

/** Says lines above the bar. */
export function aboveProgress(say: Say): Say {
  return (line) => {
    clear();
    say(line);
  };
}

function bar(share: number): string {
  const filled = Math.min(BAR_WIDTH, Math.floor(share * BAR_WIDTH));
  return `[${'#'.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}]`;
}

function draw(text: string): void {
  process.stderr.write(`\r\x1b[K${text}`);
  drawn = true;
}

function clear(): void {
  if (drawn) process.stderr.write('\r\x1b[K');
  drawn = false;
}
