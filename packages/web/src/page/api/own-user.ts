import { session } from '../token/session.ts';
import { send } from './request.ts';

const PATH = 'api/users/me';

/** The id of the user. The service may create the user: only a write may call this. @throws RequestFailed */
export async function ownUserId(): Promise<number> {
  return session.get().user?.userId ?? (await ask('PUT'));
}

/** Asks for the id if the token does not contain it, so that the page shows which items are the user's own. */
export function learnOwnUser(): void {
  const { token, user } = session.get();
  // A user who has not written anything may not exist yet.
  if (token !== undefined && user && user.userId === undefined) void ask('GET').catch(() => undefined);
}

async function ask(method: 'GET' | 'PUT'): Promise<number> {
  const { token } = session.get();
  const { userId } = (await send<{ userId: number }>({ method, path: PATH })).body;
  const { user, ...others } = session.get();
  if (user && others.token === token) session.set({ ...others, user: { ...user, userId } });
  return userId;
}
