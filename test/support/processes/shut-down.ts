import type { Log } from '@ugc/shared/process/log';
import { runSteps, type Step } from '@ugc/shared/process/lifecycle';
import { setTimeout as delay } from 'node:timers/promises';

/** Only meant to end a step that hangs. */
const LIMIT_MS = 120_000;

/** Runs the shutdown steps of a service in the test's own process. @throws an error that names the steps that hang */
export async function shutDown(log: Log, steps: Step[]): Promise<void> {
  const hanging: Step[] = [];
  const limit = (step: Step): Promise<unknown> => delay(LIMIT_MS, undefined, { ref: false }).then(() => hanging.push(step));
  await runSteps(
    log,
    steps.map((step) => () => Promise.race([step(), limit(step)])),
  );
  if (hanging.length > 0) throw new Error(`shutdown steps have not ended after ${LIMIT_MS / 1_000} s: ${hanging.join('; ')}`);
}
