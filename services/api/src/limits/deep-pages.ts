import { Problem } from '../http/problem.ts';
import { UserTotals } from './user-totals.ts';

type DeepPageLimits = { user: number; process: number };

/** Limits the lists that read a page far inside the result, which takes several searches of the complete index. */
export class DeepPages {
  readonly limits: DeepPageLimits;
  readonly active = new UserTotals();

  constructor(limits: DeepPageLimits) {
    this.limits = limits;
  }

  /** @returns a function to call when the page is read · @throws Problem 429 when a limit would be exceeded */
  start(userId: number): () => void {
    if (this.active.of(userId) >= this.limits.user) throw tooManyDeepPages('You are');
    if (this.active.sum >= this.limits.process) throw tooManyDeepPages('All users together are');
    this.active.add(userId, 1);
    return () => this.active.add(userId, -1);
  }
}

function tooManyDeepPages(who: string): Problem {
  const detail = `${who} reading too many pages far inside long lists. Try again, or narrow the prompt.`;
  return new Problem(429, detail, { headers: { 'Retry-After': '1' } });
}
