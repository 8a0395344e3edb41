import type { ListParameters } from '../search/parameters.ts';
import { listWithheld, type WithheldKind, type WithheldOrder } from '../search/list-withheld.ts';
import type { Call, EndpointDeps } from './endpoint.ts';
import { searchFor } from './search.ts';

type Query = Pick<ListParameters, 'page' | 'size' | 'include' | 'fields'>;

/** No item has this creator. */
const NOBODY = 0;

/** Responds with a page of what lists do not show. `isOfAll`: not only the items of the user. */
export async function respondWithheld(
  deps: EndpointDeps,
  call: Call<Query, unknown>,
  { isOfAll, ...which }: { kind: WithheldKind; order: WithheldOrder; isOfAll: boolean },
): Promise<void> {
  const creatorId = isOfAll ? undefined : ((await deps.tokenUsers.find(call.user)) ?? NOBODY);
  const list = { ...call.query, ...which, creatorId, declared: await deps.declaredFields.find() };
  call.ctx.body = await searchFor(deps, call, (caller) => listWithheld(deps, list, caller));
  call.ctx.type = 'json';
}
