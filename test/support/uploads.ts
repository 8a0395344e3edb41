import type { Answer, Client } from './client.ts';

/** All fields of an upload follow from its name, so that what is stored can be compared with what was sent. */
export function fieldsOf(name: string) {
  return { name, description: `all about ${name}`, data: `data of ${name}`, tags: [name, 'fault'] };
}

/** What a test uploaded, by how it was answered, and how long the answers took. */
export class Uploads {
  /** Answered 201: names by id. */
  readonly taken = new Map<number, string>();
  /** Answered that nothing was stored. */
  readonly refused: string[] = [];
  /** Not answered, or by the admission that it isn't known. */
  readonly unknown: string[] = [];
  readonly durationsMs: number[] = [];
  readonly #statuses = new Set<number | undefined>();

  /** @returns the answer, undefined when there was none */
  async send(client: Client, name: string): Promise<Answer | undefined> {
    const startedAt = performance.now();
    const answer = await client.tryUpload(fieldsOf(name)).catch(() => undefined);
    this.durationsMs.push(performance.now() - startedAt);
    this.#statuses.add(answer?.status);
    if (answer?.status === 201) this.taken.set(answer.body.content_id, name);
    else if (answer?.body?.detail?.includes('Nothing was stored')) this.refused.push(name);
    else this.unknown.push(name);
    return answer;
  }

  /** One after the other. */
  async sendMany(client: Client, prefix: string, count: number): Promise<void> {
    for (let n = 0; n < count; n++) await this.send(client, `${prefix} ${n}`);
  }

  /** One after the other while `work` is under way. @returns what it returned */
  async sendDuring<T>(client: Client, prefix: string, work: Promise<T>): Promise<T> {
    const progress = { ended: false };
    const ended = work.finally(() => (progress.ended = true));
    ended.catch(() => undefined);
    for (let n = 0; !progress.ended; n++) await this.send(client, `${prefix} ${n}`);
    return ended;
  }

  /** @returns what was answered besides; undefined where a connection ended */
  statusesBut(...expected: number[]): (number | undefined)[] {
    return [...this.#statuses].filter((status) => status === undefined || !expected.includes(status));
  }

  /** Without the slowest one in a hundred, of few the slowest two. */
  p99Ms(): number {
    const leftOut = Math.max(2, Math.floor(this.durationsMs.length / 100));
    return this.durationsMs.toSorted((a, b) => b - a)[leftOut] ?? 0;
  }
}

/** What the README promises for 99 of 100 uploads, whatever is down. */
const PROMISED_MS = 300;

/** What the promise comes to where even uploads without a fault take long: a slow machine is not a slow service. */
export async function promisedUploadMs(client: Client): Promise<number> {
  const quiet = new Uploads();
  await quiet.sendMany(client, 'without a fault', 200);
  return Math.max(PROMISED_MS, 3 * quiet.p99Ms());
}
