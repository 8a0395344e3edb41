import { expect, it } from '@jest/globals';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const FULL_DISK = '/dev/full';
const LOGS_AND_EXITS = `
  import { createLog } from '@ugc/shared/process/log';
  const log = createLog('test', 'info');
  let lines = 0;
  setInterval(() => {
    log.fatal('a line');
    if (++lines === 25) process.exit(42);
  }, 20);
`;

(existsSync(FULL_DISK) ? it : it.skip)('a log on a full disk neither crashes the process nor prevents its exit', async () => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', LOGS_AND_EXITS];
  const disk = openSync(FULL_DISK, 'w');
  const service = spawn(process.execPath, args, { stdio: ['ignore', disk, 'inherit'], timeout: 30_000 });
  closeSync(disk);
  expect(await once(service, 'exit')).toEqual([42, null]);
});

function run(program: string): ChildProcessByStdio<null, Readable, Readable> {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', program];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000 });
}

const LOGS_DURING_A_WRITE = `
  import { createLog } from '@ugc/shared/process/log';
  const log = createLog('test', 'info');
  log.info('x'.repeat(1_000_000));
  setTimeout(() => log.info('the last line'), 100);
  setTimeout(() => process.stderr.write('both are logged'), 1_000);
  setInterval(() => undefined, 1_000);
`;

it('a log writes every line while the process runs, also those that come during a write', async () => {
  const service = run(LOGS_DURING_A_WRITE);
  // The pipe takes a part of the first line, and the rest when it is read.
  await once(service.stderr, 'data');
  let written = '';
  for await (const chunk of service.stdout.setEncoding('utf8')) {
    written += String(chunk);
    if (written.includes('the last line')) break;
  }
  service.kill('SIGKILL');
  expect(written.indexOf('the last line')).toBeGreaterThan(1_000_000);
});

const COUNTS_WRITES = `
  import { createLog } from '@ugc/shared/process/log';
  import fs from 'node:fs';
  import { setTimeout as delay } from 'node:timers/promises';
  let writes = 0;
  const { write } = fs;
  fs.write = (...args) => (writes++, write(...args));
  createLog('test', 'info').info('a line');
  let before = -1;
  while (writes === 0 || writes !== before) {
    before = writes;
    await delay(500);
  }
  console.error('the log is quiet');
`;

it('a log writes nothing after its lines are written', async () => {
  const { stdout, stderr } = run(COUNTS_WRITES);
  stdout.resume();
  expect(await text(stderr)).toContain('the log is quiet');
});
