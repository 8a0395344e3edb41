const WIDTH = 30;

export type ProgressBar = { update(done: number, total: number): void; end(): void };

export function progressBar(label: string, unit = ''): ProgressBar {
  const out = process.stderr;
  let printedTenth = -1;
  let isDrawn = false;
  const update = (done: number, total: number): void => {
    const share = total === 0 ? 1 : Math.min(done / total, 1);
    const counts = `${done.toLocaleString('en')}/${total.toLocaleString('en')}${unit && ` ${unit}`}`;
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
