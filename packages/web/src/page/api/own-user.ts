import { session } from '../token/session.ts';
import { send } from './request.ts';
import { repeatUntilRead } from './use-query.ts';

const PATH = 'api/users/me';

/** The id of the user. The service may create the user: only a write may call this. @throws RequestFailed */
export async function ownUserId(): Promise<number> {
  return session.get().user?.userId ?? (await ask('PUT'));
}

let stop = (): void => undefined;

/** Asks for the name, and for the id if the token does not contain it, so that the page shows which items are the user's own. */
export function learnOwnUser(): void {
  stop();
  if (session.get().user === undefined) return;
  // A user who has not written anything may not exist yet.
  stop = repeatUntilRead((signal) => ask('GET', signal), { onData: () => undefined, onError: () => undefined });
}

async function ask(method: 'GET' | 'PUT', signal?: AbortSignal): Promise<number> {
  const { token } = session.get();
  const { userId, username } = (await send<{ userId: number; username: string }>({ method, path: PATH, signal })).body;
  const { user, ...others } = session.get();
  if (user && others.token === token) session.set({ ...others, user: { ...user, userId, name: username } });
  return userId;
}
