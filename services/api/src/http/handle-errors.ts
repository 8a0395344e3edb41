import { errorMessage } from '@ugc/shared/process/error-message';
import { logRepeated, type Log } from '@ugc/shared/process/log';
import { CommitUnknown, DatabaseUnavailable, SchemaOutdated, UnstorableText } from '@ugc/shared/postgres/errors';
import { StandbyGone } from '@ugc/shared/postgres/standby';
import type { Middleware } from 'koa';
import { cannotRead, cannotStore, cannotVerify, internalError, KeysUnavailable, problemBody, waitsForStandby } from './problem-details.ts';
import { Problem } from '@ugc/items/problems/problem';
import type { LoggedState } from './request-log.ts';

/** nginx's status for a client that disconnected before the response, for logs and metrics. */
const CLIENT_CLOSED_REQUEST = 499;

type ErrorDeps = {
  log: Log;
  lacksMigration: () => Promise<boolean>;
  /** Whether the cause is a state, which is logged when it changes. */
  isLogged: (error: unknown) => boolean;
  /** Whether a store does not respond, or not completely and in time. */
  isStoreFailure: (error: unknown) => boolean;
};

/** Converts errors, and error statuses without a body, to problem+json (RFC 9457). */
export function handleErrors({ lacksMigration, isStoreFailure, ...deps }: ErrorDeps): Middleware<LoggedState> {
  const report = reportErrors(deps);
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status >= 400 && !ctx.body) throw problemForStatus(ctx.status, ctx.method, ctx.path);
    } catch (error) {
      if (ctx.res.closed) return void (ctx.status = CLIENT_CLOSED_REQUEST);
      const problem = (await isOutdated(error, lacksMigration))
        ? unavailable(ctx.method, error)
        : toProblem(error, ctx.method, isStoreFailure);
      report(error, problem, ctx.state);
      ctx.state.kind = problem.code;
      ctx.status = problem.status;
      ctx.set(problem.headers);
      ctx.body = problemBody(problem, ctx.path, ctx.state.requestId);
      ctx.type = 'application/problem+json';
    }
  };
}

/** Anybody can send invalid tokens: each reason is one line a minute. */
function reportErrors({ log, isLogged }: Pick<ErrorDeps, 'log' | 'isLogged'>) {
  const reportToken = logRepeated(({ err, count }) => log.warn({ reason: errorMessage(err), count }, 'a token is not valid'));
  return (error: unknown, problem: Problem, { requestId, traceId }: LoggedState): void => {
    if (problem.code === 'token-invalid') reportToken(problem.cause);
    if (error instanceof UnstorableText) log.error({ requestId, traceId, err: error }, error.message);
    // A Problem was made on purpose, such as that of a limit, and says why.
    const isKnown = error instanceof Problem || isLogged(error);
    if (problem.status >= 500 && !isKnown) log.error({ requestId, traceId, err: error }, 'request failed');
    else if (problem.status >= 500) log.info({ requestId, traceId, reason: errorMessage(error) }, 'request failed');
  };
}

// A missing table is an internal error, unless a migration is missing too.
async function isOutdated(error: unknown, lacksMigration: ErrorDeps['lacksMigration']): Promise<boolean> {
  return error instanceof SchemaOutdated && lacksMigration();
}

function problemForStatus(status: number, method: string, path: string): Problem {
  if (status === 405)
    return new Problem(405, 'method-unknown', `${method} is not supported for this path. The Allow header lists the supported methods.`);
  if (status === 404) return new Problem(404, 'path-unknown', `No resource has the path ${path.slice(0, 200)}.`);
  return new Problem(status, 'internal-error', 'The request could not be processed.');
}

// The specification requires 500 for reads while a store is unavailable. Writes get 503 with Retry-After.
function toProblem(error: unknown, method: string, isStoreFailure: ErrorDeps['isStoreFailure']): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnstorableText)
    return new Problem(400, 'invalid-body', 'The text contains a character that this service cannot store.');
  if (error instanceof DatabaseUnavailable || error instanceof KeysUnavailable || isStoreFailure(error)) return unavailable(method, error);
  return internalError();
}

function unavailable(method: string, error: unknown): Problem {
  const isRead = method === 'GET' || method === 'HEAD';
  if (error instanceof KeysUnavailable) return cannotVerify({ isRead });
  if (isRead) return cannotRead();
  if (error instanceof StandbyGone) return waitsForStandby();
  return cannotStore({ isUnknown: error instanceof CommitUnknown });
}
