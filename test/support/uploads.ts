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

  /** @returns the answer, undefined when there was none */
  async send(client: Client, name: string): Promise<Answer | undefined> {
    const startedAt = performance.now();
    const answer = await client.tryUpload(fieldsOf(name)).catch(() => undefined);
    this.durationsMs.push(performance.now() - startedAt);
    if (answer?.status === 201) this.taken.set(answer.body.content_id, name);
    else if (answer?.body?.detail?.includes('Nothing was stored')) this.refused.push(name);
    else this.unknown.push(name);
    return answer;
  }

  /** One after the other. */
  async sendMany(client: Client, prefix: string, count: number): Promise<void> {
    for (let n = 0; n < count; n++) await this.send(client, `${prefix} ${n}`);
  }

  /** Uploads until `end` settles. */
  async sendDuring(client: Client, prefix: string, end: Promise<unknown>): Promise<void> {
    let ended = false;
    const watched = end.finally(() => (ended = true));
    for (let n = 0; !ended; n++) await this.send(client, `${prefix} ${n}`);
    await watched;
  }

  p99Ms(): number {
    const sorted = this.durationsMs.toSorted((a, b) => a - b);
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
  }
}
