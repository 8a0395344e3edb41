import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';

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
