const WIDTH = 30;

export type ProgressBar = { update(done: number, total: number): void; end(): void };

/** On a terminal, redraws one line; otherwise prints one line per 10 %. */
export function progressBar(label: string, out: NodeJS.WriteStream = process.stderr): ProgressBar {
  let printedTenth = -1;
  let drawn = false;
  const update = (done: number, total: number): void => {
    const share = total === 0 ? 1 : Math.min(done / total, 1);
    const counts = `${done.toLocaleString('en')}/${total.toLocaleString('en')}`;
    if (out.isTTY) {
      out.write(`\r${label} ${'█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░')} ${counts} `);
      drawn = true;
    } else if (Math.floor(share * 10) > printedTenth) {
      printedTenth = Math.floor(share * 10);
      out.write(`${label} ${counts}\n`);
    }
  };
  const end = (): void => void (drawn && out.write('\n'));
  return { update, end };
}
