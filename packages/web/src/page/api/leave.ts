import { session } from '../token/session.ts';
import { headersOf, problemOf, RequestFailed, type Request } from './request.ts';

/** Sends a request that outlives the page, which is hidden or left: at once, since nothing may follow. @throws RequestFailed */
export async function sendLeaving(request: Request): Promise<void> {
  const { method = 'GET', path, token = session.get().token } = request;
  const answer = await fetch(path, { method, headers: headersOf(request, token), keepalive: true }).catch(() => Response.error());
  const { ok, status } = answer;
  if (!ok) throw new RequestFailed(status, await problemOf({ status, response: await answer.json().catch(() => null) }));
}
