import { CommitUnknown, DatabaseUnavailable } from '@ugc/shared/stores/postgres';
import { KeysUnavailable } from '../auth/keys.ts';
import { Problem, problemBody } from '../http/problem.ts';
import type { ApiMiddleware } from '../state.ts';

const RETRY_AFTER_SECONDS = '5';
/** For log and metrics alone, as nginx has it: nobody reads this answer, and an error that the caller's leaving causes is none of ours. */
const CALLER_GONE = 499;

/** The one place that turns what was thrown, or not answered at all, into problem+json. */
export function handleErrors(): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status >= 400 && !ctx.body) throw unanswered(ctx.status, ctx.method, ctx.path);
    } catch (error) {
      if (ctx.res.closed) return void (ctx.status = CALLER_GONE);
      const problem = toProblem(error, ctx.method);
      if (problem.status >= 500) ctx.state.log.error({ err: error }, 'request failed');
      ctx.status = problem.status;
      ctx.set(problem.headers);
      ctx.body = problemBody(problem, ctx.path, ctx.state.requestId);
      ctx.type = 'application/problem+json';
    }
  };
}

function unanswered(status: number, method: string, path: string): Problem {
  if (status === 405) return new Problem(405, `${method} is not possible here; the Allow header says what is.`);
  if (status === 404) return new Problem(404, `There is nothing at ${path.slice(0, 200)}.`);
  return new Problem(status, "The request can't be answered.");
}

// The specification wants 500 from reads whose store is down; a write may simply be repeated, so it says when.
function toProblem(error: unknown, method: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseUnavailable || error instanceof KeysUnavailable) return unavailable(method, error);
  return new Problem(500, 'Something went wrong on our side. The request id helps to find out what.');
}

function unavailable(method: string, error: unknown): Problem {
  if (method === 'GET' || method === 'HEAD') return new Problem(500, 'A store that this request needs does not answer.');
  const detail =
    error instanceof CommitUnknown
      ? 'It is not known whether this was stored. Repeat it with the same Idempotency-Key, or look first.'
      : 'Nothing can be stored right now. Nothing was stored; please try again.';
  return new Problem(503, detail, {
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  });
}
