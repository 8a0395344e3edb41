import { seededRandom } from '../relevance/random.ts';
import type { Database } from './database.ts';
import { Elasticsearch } from './elasticsearch.ts';
import type { Process } from './process.ts';
import type { Rule } from './rules.ts';

/** What an actor does. Between two steps it can be paused, overtaken or killed; it yields the seconds until its next step. */
export type Steps<Result = void> = Generator<number | undefined, Result, void>;

type Actor = { steps: Steps; wakeAt: number; process: Process | undefined };

/** The protocol does what it must never do. `kind` is the guarantee that is broken. */
export class Violation extends Error {
  readonly kind: string;

  constructor(kind: string, detail: string) {
    super(`${kind}: ${detail}`);
    this.kind = kind;
  }
}

const TRACED = 60;

/** The clock, the stores and the actors of one run. Equal seeds give equal runs. */
export class World {
  now = 0;
  faults = true;
  readonly databases: Database[] = [];
  readonly processes: Process[] = [];
  readonly elasticsearch = new Elasticsearch(this);
  readonly trace: string[] = [];
  private readonly actors: Actor[] = [];
  private readonly integer: (values: number) => number;
  private readonly dropped: Rule | undefined;
  readonly slowSteps: number;
  /** Whether some creators have more changes than their share of a claim. */
  hasCrowd = false;
  /** Whether Elasticsearch is restored from snapshots. */
  hasRestores = false;
  private names = 0;

  /** `slowSteps`: the share of steps that take long. */
  constructor(seed: number, slowSteps: number, dropped: Rule | undefined) {
    this.slowSteps = slowSteps;
    this.dropped = dropped;
    this.integer = seededRandom(seed);
  }

  has(rule: Rule): boolean {
    return rule !== this.dropped;
  }

  chance(probability: number): boolean {
    return this.integer(1e6) < probability * 1e6;
  }

  /** Up to this many seconds. */
  upTo(seconds: number): number {
    return (this.integer(1e6) / 1e6) * seconds;
  }

  pick<T>(values: readonly T[]): T | undefined {
    return values[this.integer(Math.max(1, values.length))];
  }

  unique(prefix: string): string {
    return `${prefix}${++this.names}`;
  }

  note(what: string): void {
    this.trace.push(`${this.now.toFixed(1).padStart(7)} ${what}`);
    if (this.trace.length > TRACED * 20) this.trace.splice(0, TRACED * 10);
  }

  spawn(process: Process | undefined, steps: Steps): void {
    this.actors.push({ steps, process, wakeAt: this.now + this.upTo(1) });
  }

  /** The faults end: whatever is paused returns within the next 100 seconds. */
  endFaults(): void {
    this.faults = false;
    for (const actor of this.actors) actor.wakeAt = Math.min(actor.wakeAt, this.now + this.upTo(100));
    for (const process of this.processes) process.pausedUntil = Math.min(process.pausedUntil, this.now + this.upTo(100));
  }

  runUntil(end: number): void {
    for (let next = this.nextActor(); next && next.wakeAt < end; next = this.nextActor()) this.step(next);
    this.now = end;
  }

  private nextActor(): Actor | undefined {
    let next: Actor | undefined;
    for (const actor of this.actors) if (!next || actor.wakeAt < next.wakeAt) next = actor;
    return next;
  }

  private step(actor: Actor): void {
    this.now = Math.max(this.now, actor.wakeAt);
    if (actor.process?.isDead) return this.remove(actor);
    if (actor.process && actor.process.pausedUntil > this.now) {
      actor.wakeAt = actor.process.pausedUntil + this.upTo(1);
      return;
    }
    const { done, value } = actor.steps.next();
    if (done) return this.remove(actor);
    actor.wakeAt = this.now + (value ?? this.latency(actor.process));
  }

  /** Most requests take milliseconds. Some take minutes, or the whole process is paused before it goes on. */
  private latency(process: Process | undefined): number {
    if (!this.faults || !this.chance(this.slowSteps)) return this.upTo(0.3);
    const seconds = this.upTo(this.chance(0.5) ? 15 : 150);
    if (process && this.chance(0.5)) process.pausedUntil = this.now + seconds;
    return seconds;
  }

  private remove(actor: Actor): void {
    this.actors.splice(this.actors.indexOf(actor), 1);
  }
}
