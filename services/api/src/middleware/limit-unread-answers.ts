import type { Context } from 'koa';
import type { ApiMiddleware } from '../state.ts';
import { tooMuchUnread, type Traffic } from '../traffic/traffic.ts';

/** Bounds, for each user, the memory of answers that wait to be read. */
export function limitUnreadAnswers({ limitBytes, totals }: Traffic['unread']): ApiMiddleware {
  return async (ctx, next) => {
    const { userId } = ctx.state.user;
    if (totals.of(userId) >= limitBytes) throw tooMuchUnread(limitBytes);
    await next();
  };
}

/**
 * Counts every answer to a user, also an error, from the moment it is made until it has been sent or its connection has closed.
 * Must run outside of `problems`, which makes the bodies of errors.
 */
export function countUnreadAnswers({ totals }: Traffic['unread']): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    const userId = (ctx.state as Partial<typeof ctx.state>).user?.userId;
    if (userId === undefined || ctx.res.closed) return;
    const bytes = printBody(ctx);
    totals.add(userId, bytes);
    ctx.res.once('close', () => totals.add(userId, -bytes));
  };
}

/** Prints a JSON body here, once, since its size has to be known. @returns its bytes */
function printBody(ctx: Context): number {
  if (isPlain(ctx.body)) ctx.body = JSON.stringify(ctx.body);
  // Koa's types leave out that there may be no length.
  return (ctx.response as { length?: number }).length ?? 0;
}

function isPlain(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body);
}
