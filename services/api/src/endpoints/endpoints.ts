import type { Limits } from '../env.ts';
import type { Endpoint } from './endpoint.ts';
import { declared } from './fields.ts';
import { items } from './items.ts';
import { moderation } from './moderation.ts';
import { ratings } from './ratings.ts';
import { search } from './search.ts';
import { service } from './service.ts';
import { users } from './users.ts';

type Group = { tag: string; description: string; endpoints: Record<string, (limits: Limits) => Endpoint> };

/** All endpoints by their operation ids, in the order of the OpenAPI document. */
export const GROUPS: Group[] = [
  { tag: 'Search', description: 'Lists, the counts of their matches, and suggestions while a user types.', endpoints: search },
  { tag: 'Items', description: 'Upload, read, edit and delete content items.', endpoints: items },
  { tag: 'Fields', description: 'What the operator has declared that items have besides.', endpoints: declared },
  {
    tag: 'Ratings and downloads',
    description: 'Lists show changed ratings and download counts after about seven seconds.',
    endpoints: ratings,
  },
  {
    tag: 'Moderation',
    description: 'For tokens with the scope `content:moderate`. A hidden item does not exist for anybody but its creator and moderators.',
    endpoints: moderation,
  },
  { tag: 'Users', description: 'A token that was issued by an identity provider does not contain the id of its user.', endpoints: users },
  { tag: 'Service', description: 'This document and the health of the service, without a token.', endpoints: service },
];

export type NamedEndpoint = Endpoint & { tag: string; operationId: string };

export function allEndpoints(limits: Limits): NamedEndpoint[] {
  return GROUPS.flatMap(({ tag, endpoints }) =>
    Object.entries(endpoints).map(([operationId, create]) => ({ ...create(limits), tag, operationId })),
  );
}
