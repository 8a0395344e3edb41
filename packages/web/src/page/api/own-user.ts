import { learnNames } from './creator-names.ts';
import { session } from '../token/session.ts';
import { send, type Request } from './request.ts';
import { repeatUntilRead } from './use-query.ts';

/** The id of the user, whom the service may create now: only a write may call this. @throws RequestFailed */
export async function ownUserId(): Promise<number> {
  return session.get().user?.userId ?? (await askOwnUser({ method: 'PUT' }));
}

let stop = (): void => undefined;

/** Asks for the id and the name, so that the page shows which items are the user's own. */
export function learnOwnUser(): void {
  stop();
  if (session.get().user === undefined) return;
  // A user who has not written anything may not exist yet.
  stop = repeatUntilRead((signal) => askOwnUser({ signal }), { onData: () => undefined, onError: () => undefined });
}

export async function askOwnUser(request: Pick<Request, 'method' | 'signal'>): Promise<number> {
  const { token } = session.get();
  const { userId, username } = (await send<{ userId: number; username: string }>({ ...request, path: 'api/users/me' })).body;
  learnNames([{ creatorId: userId, creatorName: username }]);
  const { user, ...others } = session.get();
  if (user && others.token === token) session.set({ ...others, user: { ...user, userId, name: username } });
  return userId;
}
