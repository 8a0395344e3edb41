import type { Log } from '@ugc/shared/process/log';
import { CommitUnknown, DatabaseUnavailable, SchemaOutdated, UnstorableText } from '@ugc/shared/stores/postgres-errors';
import { KeysUnavailable } from '../auth/keys.ts';
import { Problem, problemBody } from '../http/problem.ts';
import type { Readiness } from '../operators/readiness.ts';
import type { ApiMiddleware } from '../state.ts';

const RETRY_AFTER_SECONDS = '5';
/** nginx's status for a client that disconnected before the response, for logs and metrics. */
const CLIENT_CLOSED_REQUEST = 499;

/** Converts errors, and error statuses without a body, to problem+json (RFC 9457). */
export function handleErrors({ log, readiness }: { log: Log; readiness: () => Promise<Readiness> }): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status >= 400 && !ctx.body) throw problemForStatus(ctx.status, ctx.method, ctx.path);
    } catch (error) {
      if (ctx.res.closed) return void (ctx.status = CLIENT_CLOSED_REQUEST);
      const problem = (await isOutdated(error, readiness)) ? unavailable(ctx.method, error) : toProblem(error, ctx.method);
      if (error instanceof UnstorableText) log.error({ requestId: ctx.state.requestId, err: error }, error.message);
      if (problem.status >= 500) log.error({ requestId: ctx.state.requestId, err: error }, 'request failed');
      ctx.status = problem.status;
      ctx.set(problem.headers);
      ctx.body = problemBody(problem, ctx.path, ctx.state.requestId);
      ctx.type = 'application/problem+json';
    }
  };
}

// A missing table is an internal error, unless a migration is missing too.
async function isOutdated(error: unknown, readiness: () => Promise<Readiness>): Promise<boolean> {
  return error instanceof SchemaOutdated && (await readiness()).missingMigrations !== undefined;
}

function problemForStatus(status: number, method: string, path: string): Problem {
  if (status === 405) return new Problem(405, `${method} is not supported for this path. The Allow header lists the supported methods.`);
  if (status === 404) return new Problem(404, `No resource has the path ${path.slice(0, 200)}.`);
  return new Problem(status, 'The request could not be processed.');
}

// The specification requires 500 for reads while a store is unavailable. Writes get 503 with Retry-After.
function toProblem(error: unknown, method: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnstorableText) return new Problem(400, 'The text contains a character that this service cannot store.');
  if (error instanceof DatabaseUnavailable || error instanceof KeysUnavailable) return unavailable(method, error);
  return new Problem(500, 'An internal error occurred. The log contains its cause under this request id.');
}

function unavailable(method: string, error: unknown): Problem {
  if (method === 'GET' || method === 'HEAD') return new Problem(500, 'A data store that this request needs is unavailable.');
  const detail =
    error instanceof CommitUnknown
      ? 'It is unknown whether the change was stored. Repeat the request with the same Idempotency-Key, or read the item first.'
      : 'The service is temporarily unavailable. Nothing was stored; try again.';
  return new Problem(503, detail, { headers: { 'Retry-After': RETRY_AFTER_SECONDS } });
}
