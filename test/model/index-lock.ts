import type { Database } from './database.ts';
import type { Process } from './process.ts';
import type { Steps, World } from './world.ts';

const EXPIRES = 30;
const RENEW = 10;

/** A paused holder goes on with an expired lock, and learns it from `holds` or from its next change of the targets. */
export function* withIndexLock(world: World, process: Process, work: (token: string) => Steps, waitSeconds = 0): Steps {
  const { database } = process;
  for (let wait = waitSeconds; isLocked(world, database) && wait > 0; wait--) yield 1;
  if (isLocked(world, database)) return;
  const { lock } = database.state;
  const token = world.unique('t');
  if (lock) world.note(`${database.name} takes the expired lock ${lock.token}`);
  database.state.lock = { token, expiresAt: world.now + EXPIRES };
  const renewing = { isDone: false };
  world.spawn(process, renew(world, process, token, renewing));
  yield;
  yield* withPauses(world, process, work(token));
  renewing.isDone = true;
  if (holds(process, token)) database.state.lock = undefined;
}

function isLocked(world: World, { state }: Database): boolean {
  return state.lock !== undefined && state.lock.expiresAt > world.now;
}

/** What a late holder does is what this lock is about, so its process is paused more often than others. */
function* withPauses(world: World, process: Process, steps: Steps): Steps {
  for (let step = steps.next(); !step.done; step = steps.next()) {
    if (world.faults && world.chance(world.slowSteps)) process.pausedUntil = world.now + EXPIRES + world.upTo(60);
    yield step.value;
  }
}

export function holds({ database }: Process, token: string): boolean {
  return database.state.lock?.token === token;
}

function* renew(world: World, process: Process, token: string, renewing: { isDone: boolean }): Steps {
  for (;;) {
    yield RENEW;
    if (renewing.isDone || !holds(process, token)) return;
    process.database.state.lock = { token, expiresAt: world.now + EXPIRES };
  }
}
