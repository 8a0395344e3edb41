import { Database } from './database.ts';
import { causeFaults, FAULTS, startDatabase, type Fault } from './faults.ts';
import type { Rule } from './rules.ts';
import { unrest } from './checks.ts';
import { Violation, World } from './world.ts';

type Settings = { faults: readonly Fault[]; faultEvery: number; slowSteps: number; hasCrowd?: boolean };

/** What can happen in a run, how many seconds lie between two faults, and the share of steps that take long. */
export const SCENARIOS = {
  pipeline: {
    faults: ['pause', 'kill', 'wipeRedis', 'elasticsearchDown', 'rebuild', 'rollBack', 'finish'],
    faultEvery: 12,
    slowSteps: 0.01,
  },
  crowd: {
    faults: ['pause', 'kill', 'wipeRedis', 'elasticsearchDown', 'rebuild', 'finish'],
    faultEvery: 8,
    slowSteps: 0.02,
    hasCrowd: true,
  },
  lock: { faults: ['rebuild', 'rollBack', 'finish', 'cancel', 'retire', 'kill'], faultEvery: 6, slowSteps: 0.02 },
  copies: {
    faults: [
      'pause',
      'kill',
      'elasticsearchDown',
      'elasticsearchReadOnly',
      'dump',
      'snapshot',
      'restoreBeside',
      'stop',
      'failover',
      'otherPath',
    ],
    faultEvery: 10,
    slowSteps: 0.03,
  },
  restore: { faults: ['pause', 'kill', 'wipeRedis', 'rebuild', 'restore', 'snapshot', 'adopt', 'finish'], faultEvery: 10, slowSteps: 0.03 },
  hidden: {
    faults: ['hide', 'show', 'pause', 'kill', 'wipeRedis', 'elasticsearchDown', 'rebuild', 'finish'],
    faultEvery: 4,
    slowSteps: 0.01,
  },
  drafts: {
    faults: ['draft', 'publish', 'withdraw', 'hide', 'show', 'pause', 'kill', 'wipeRedis', 'elasticsearchDown', 'rebuild', 'finish'],
    faultEvery: 4,
    slowSteps: 0.01,
  },
  'restored-index': {
    faults: ['hide', 'show', 'snapshotIndex', 'restoreIndex', 'pause', 'kill', 'wipeRedis', 'elasticsearchDown', 'rebuild', 'finish'],
    faultEvery: 4,
    slowSteps: 0.02,
  },
  everything: { faults: Object.keys(FAULTS) as Fault[], faultEvery: 10, slowSteps: 0.02 },
} as const satisfies Record<string, Settings>;
export type Scenario = keyof typeof SCENARIOS;

type Options = { scenario: Scenario; without?: Rule | undefined };
export type Failure = { seed: number; kind: string; message: string; trace: string[] };

const FAULTS_UNTIL = 300;
const REST_AFTER = 450;
const REST_BEFORE = 1500;

/** @returns the first thing that the protocol did wrong */
export function run(seed: number, { scenario, without }: Options): Failure | undefined {
  const { faults, faultEvery, slowSteps, hasCrowd = false }: Settings = SCENARIOS[scenario];
  const world = new World(seed, slowSteps, without);
  world.hasCrowd = hasCrowd;
  world.hasRestores = faults.includes('restoreIndex');
  try {
    const database = new Database(world, { lineage: { id: 'id', system: 'system', oid: 1 }, address: 'address', alias: 'content' });
    startDatabase(world, database, 4);
    world.spawn(undefined, causeFaults(world, faults, faultEvery));
    world.runUntil(FAULTS_UNTIL);
    world.note('the faults end');
    world.endFaults();
    expectRest(world);

    return undefined;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { seed, kind: error.kind, message: error.message, trace: world.trace };
  }
}

function expectRest(world: World): void {
  let problem: string | undefined = 'not looked at';
  for (let at = REST_AFTER; at < REST_BEFORE && problem !== undefined; at += 25) {
    world.runUntil(at);
    problem = unrest(world);
  }
  if (problem !== undefined) throw new Violation('no rest', problem);
}
