import type { Claim, Writer } from './elasticsearch.ts';
import { isSame, isSameLineage, type Decision, type Process, type Watch } from './process.ts';
import type { Steps, World } from './world.ts';

export const BEAT = 20;
const WATCHED = 3 * BEAT;
const DECISION_AGE = 5;
const LONGEST_GAP = 10;

/** @returns the right to change the index, or undefined. A paused process may use it late. */
export function* mayWrite(world: World, process: Process, name: string): Steps<Writer | undefined> {
  const { database } = process;
  const writer = (decidedAt: number): Writer => ({ database, decidedAt, history: database.history });
  if (!world.has('identity')) return writer(world.now);
  let decision = process.decisions.get(name);
  for (let attempt = 0; attempt < 2 && isOutdated(world, decision); attempt++) decision = yield* decide(world, process, name);
  if (decision?.verdict !== 'own' || isOutdated(world, decision)) return undefined;
  return writer(decision.at);
}

function isOutdated(world: World, decision: Decision | undefined): boolean {
  return !decision || (world.has('recheck') && world.now - decision.at > DECISION_AGE);
}

/** Looks at the claim of an index once, and renews or takes it over if that is due. */
export function* decide(world: World, process: Process, name: string): Steps<Decision> {
  const at = world.now;
  const verdict = yield* look(world, process, name);
  const decision = { verdict, at };
  process.decisions.set(name, decision);
  return decision;
}

function* look(world: World, process: Process, name: string): Steps<Decision['verdict']> {
  const { state } = process.database;
  const known = [state.beat, state.previousBeat];
  yield;
  const claim = world.elasticsearch.readClaim(name);
  if (!claim) {
    process.watches.delete(name);
    return 'undecided';
  }
  if (claim.isRemoved) return 'foreign';
  const watch = updateWatch(world, process, name, claim, known);
  yield;
  if (isSame(claim.owner, process.identity)) return yield* own(world, process, name, claim, watch);
  const isOwnBeat = isSameLineage(claim.owner, process.identity) && (yield* isBeatOfOwnDatabase(world, process, claim, watch));
  if (isOwnBeat) return yield* own(world, process, name, claim, watch);
  if (watch.lookedAt - watch.since >= WATCHED || !world.has('watch')) return yield* takeOver(world, process, name, claim);
  return watch.hasMoved ? 'foreign' : 'undecided';
}

function updateWatch(world: World, process: Process, name: string, { beat }: Claim, known: string[]): Watch {
  const { now } = world;
  const watch = process.watches.get(name) ?? { beat, since: now, lookedAt: now, known, hasMoved: false };
  process.watches.set(name, watch);
  const isBroken = world.has('watch-writes') && (!world.elasticsearch.takesWrites || now - watch.lookedAt > LONGEST_GAP);
  const isMoved = watch.beat !== beat;
  const hasMoved = isMoved || (watch.hasMoved && !isBroken);
  Object.assign(watch, { beat, lookedAt: now, hasMoved, since: isMoved || isBroken ? now : watch.since });
  return watch;
}

function* isBeatOfOwnDatabase(world: World, { database }: Process, { beat }: Claim, watch: Watch): Steps<boolean> {
  yield;
  const isHere = database.state.beat === beat || database.state.previousBeat === beat;
  return watch.hasMoved && isHere && (!world.has('fresh-beat') || !watch.known.includes(beat));
}

function* own(world: World, process: Process, name: string, claim: Claim, watch: Watch): Steps<Decision['verdict']> {
  const { beatAt, beat: newest } = process.database.state;
  if (world.now - beatAt < BEAT && (claim.beat === newest || !world.has('lease'))) return 'own';
  const beat = storeNewBeat(world, process);
  yield;
  const isWritten = world.elasticsearch.writeClaim(name, claim, process.database, { owner: claim.owner, beat, how: 'beat' });
  if (isWritten) process.watches.set(name, { ...watch, beat, since: world.now, lookedAt: world.now, hasMoved: true });
  return isWritten || !world.has('lease') ? 'own' : 'undecided';
}

function storeNewBeat(world: World, { database: { state } }: Process): string {
  state.previousBeat = state.beat;
  state.beat = world.unique('b');
  state.beatAt = world.now;
  return state.beat;
}

function* takeOver(world: World, process: Process, name: string, claim: Claim): Steps<Decision['verdict']> {
  if (!mayTakeOver(world, process, name)) return 'foreign';
  const beat = storeNewBeat(world, process);
  yield;
  const how = { owner: process.identity, beat, how: 'watched' } as const;
  if (!world.elasticsearch.writeClaim(name, claim, process.database, how)) return 'undecided';
  process.watches.set(name, { beat, since: world.now, lookedAt: world.now, known: [], hasMoved: true });
  return 'own';
}

/** Also an index that has the alias and is not listed: the database was restored to a time before the index was built. */
function mayTakeOver(world: World, { database: { state }, alias }: Process, name: string): boolean {
  const isNamed = name.startsWith(`${alias}-v`) || !world.has('own-name');
  return isNamed && (state.targets.has(name) || (world.elasticsearch.aliases.get(alias) === name && world.has('take-over-unlisted')));
}

/** The command index:adopt. */
export function* adopt(world: World, process: Process): Steps {
  for (const name of process.database.state.targets.keys()) {
    const claim = world.elasticsearch.readClaim(name);
    if (!claim || claim.isRemoved || isSame(claim.owner, process.identity)) continue;
    const beat = storeNewBeat(world, process);
    yield;
    world.elasticsearch.writeClaim(name, claim, process.database, { owner: process.identity, beat, how: 'adopted' });
    yield;
  }
}
