import type { ApiEnv } from '../env.ts';
import { Problem } from '../problem.ts';
import type { ApiMiddleware } from '../state.ts';

/** Bounds, for each user, the memory of answers that wait to be read: whoever asks for pages and reads none is asked to read first. */
export function limitUnreadAnswers({ UNREAD_ANSWERS_MAX_BYTES: maxBytes }: Pick<ApiEnv, 'UNREAD_ANSWERS_MAX_BYTES'>): ApiMiddleware {
  const unreadBytes = new Map<number, number>();
  const add = (userId: number, bytes: number): void => {
    const sum = (unreadBytes.get(userId) ?? 0) + bytes;
    if (sum > 0) unreadBytes.set(userId, sum);
    else unreadBytes.delete(userId);
  };
  return async (ctx, next) => {
    const { userId } = ctx.state.caller;
    if ((unreadBytes.get(userId) ?? 0) >= maxBytes) {
      throw new Problem(429, `Answers of ${maxBytes} bytes or more wait to be read by you. Read them, or close their connections.`, {
        headers: { 'Retry-After': '1' },
      });
    }
    await next();
    // Made here, once, since its size has to be known.
    if (isPlain(ctx.body)) ctx.body = JSON.stringify(ctx.body);
    const bytes = (ctx.response.length as number | undefined) ?? 0;
    add(userId, bytes);
    ctx.res.once('close', () => add(userId, -bytes));
  };
}

function isPlain(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body);
}
