import type { RequestSample } from '@ugc/shared/contracts/operations-status';

type Counts = Omit<RequestSample, 'time'>;
type Response = { method: string; route: string; status: number; isFault?: boolean };

const MINUTE_MS = 60_000;
const KEPT_MINUTES = 60;
const NOTHING: Counts = { searches: 0, uploads: 0, failures: 0 };

/** Counts the requests of this process in each minute of the last hour. */
export class RequestHistory {
  readonly #startedAt = minuteOf(Date.now());
  readonly #minutes = new Map<number, Counts>();

  count({ method, route, status, isFault = true }: Response): void {
    const counts = this.#present();
    counts.searches += Number(method === 'GET' && route === '/api/content');
    counts.uploads += Number(method === 'POST' && route === '/content' && status === 201);
    counts.failures += Number(status >= 500 && isFault);
  }

  /** The minutes from the start of the process, at most those of an hour; the last one is not over. */
  get samples(): RequestSample[] {
    const now = minuteOf(Date.now());
    const first = Math.max(this.#startedAt, now - KEPT_MINUTES + 1);
    const minutes = Array.from({ length: Math.max(0, now - first + 1) }, (_, n) => first + n);
    return minutes.map((minute) => ({
      time: new Date(minute * MINUTE_MS).toISOString(),
      ...(this.#minutes.get(minute) ?? NOTHING),
    }));
  }

  #present(): Counts {
    const minute = minuteOf(Date.now());
    const present = this.#minutes.get(minute);
    if (present) return present;
    const counts = { ...NOTHING };
    this.#minutes.set(minute, counts);
    // The oldest ones are first. The number is limited, because the clock may be set back.
    for (const each of this.#minutes.keys()) if (this.#minutes.size > KEPT_MINUTES) this.#minutes.delete(each);
    return counts;
  }
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS);
}
