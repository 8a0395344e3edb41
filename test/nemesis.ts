import { createCommand, EXIT, failWith, parseWith, runCommand } from '@ugc/shared/cli/command';
import { spawnSync } from 'node:child_process';
import { z } from 'zod';

type Options = { minutes: number; seed: number };

const minutes = parseWith('--minutes', z.coerce.number<string>({ error: 'must be a number' }).positive('must be greater than 0'));
const seed = parseWith('--seed', z.coerce.number<string>({ error: 'must be a number' }).int('must be an integer'));

const command = createCommand({
  name: 'npx pnpm nemesis',
  description: 'Injects random faults while clients send requests, and checks that nothing is lost.',
  exitCodes: { [EXIT.done]: 'nothing was lost', [EXIT.badResult]: 'something was lost', [EXIT.usage]: 'the arguments are wrong' },
  example: 'npx pnpm nemesis --minutes 30 --seed 7',
});
command
  .option('--minutes <N>', 'how long faults are injected', minutes, 30)
  .addOption(
    command
      .createOption('--seed <N>', 'the same seed gives the same faults and pauses')
      .argParser(seed)
      .default(Date.now() % 1_000_000, 'random'),
  )
  .action((options: Options) => {
    const { status } = spawnSync('pnpm', ['--filter', './test', '--silent', 'run', 'test', 'pipeline/faults/nemesis'], {
      stdio: 'inherit',
      env: { ...process.env, NEMESIS_MINUTES: String(options.minutes), NEMESIS_SEED: String(options.seed) },
    });
    process.exitCode = status ?? EXIT.badResult;
  });
await runCommand(command, failWith(EXIT.badResult));
