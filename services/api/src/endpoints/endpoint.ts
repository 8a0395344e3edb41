import type { RouterContext } from '@koa/router';
import type { Log } from '@ugc/shared/process/log';
import type { DeclaredFields } from '@ugc/shared/fields/declared-fields';
import type { Database } from '@ugc/shared/postgres/postgres';
import type { z } from 'zod';
import type { State } from '../auth/authenticate.ts';
import type { AuthenticatedUser } from '@ugc/items/account';
import { parseContentId, type ContentReader } from '@ugc/items/changes/get-content';
import type { PerItemQueue } from '@ugc/items/changes/ratings';
import type { IndexWaiters } from '../indexing/wait-until-indexed.ts';
import type { ApiEnv, Limits } from '../env.ts';
import { readJson } from '../http/body.ts';
import type { StaticFile } from '../http/pages/static-file.ts';
import type { ErrorDetail, Problem } from '@ugc/items/problems/problem';
import { queryParser } from '../http/query-parameters.ts';
import type { PublicDownloads } from '@ugc/items/changes/content-item';
import type { EventsOfDay } from '../limits/events-of-day.ts';
import type { Cost, Granted } from '../limits/request-limits.ts';
import type { CompressResponse } from '../limits/response-compression.ts';
import type { Traffic } from '../limits/traffic.ts';
import type { Readiness } from '../operators/readiness.ts';
import type { HeldIndex } from '../search/facets/held-index.ts';
import type { SearchInsights } from '../search/insights/search-insights.ts';
import type { ListResponse, SearchDeps } from '../search/list.ts';
import type { SharedLists } from '../search/shared-lists.ts';
import type { BlockedUsers } from '@ugc/items/people/blocked-users';
import type { TokenUsers } from '@ugc/items/people/token-users';

export type EndpointDeps = SearchDeps & {
  heldIndex: HeldIndex;
  database: Database;
  log: Log;
  limits: Limits;
  traffic: Traffic;
  indexWaiters: IndexWaiters;
  wakeRelay: () => void;
  tokenUsers: TokenUsers;
  blockedUsers: BlockedUsers;
  declaredFields: DeclaredFields;
  newItems: ApiEnv['NEW_ITEMS'];
  /** Whether a process of 1.0.0 is connected. */
  seesEarlierProcess: () => Promise<boolean>;
  reader: ContentReader;
  lists: SharedLists<ListResponse>;
  /** Undefined without SEARCH_INSIGHTS. */
  insights: SearchInsights | undefined;
  perItemQueue: PerItemQueue;
  eventsOfDay: EventsOfDay;
  publicDownloads: PublicDownloads;
  compress: CompressResponse;
  isLive: () => boolean;
  readiness: () => Promise<Readiness>;
  /** The OpenAPI document with the fields that are declared now. */
  documents: () => OpenApiFiles;
  /** See `publicPathOf`. */
  publicPath: string;
};

/** `document30`: the same as OpenAPI 3.0. */
export type OpenApiFiles = { document: StaticFile; document30: StaticFile };

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** `invalid` is an example query string that is not valid, whose error the OpenAPI document shows. */
type QueryDefinition<Q extends z.ZodObject> = { schema: Q; check?: (values: z.output<Q>) => ErrorDetail[]; invalid: string };

/**
 * The first of `mediaTypes` is the documented one. `invalid` is a body whose error the OpenAPI document shows. `maxBytes` is
 * BODY_MAX_BYTES by default; a schema without it is one of those in `thread.ts`, which parses large bodies.
 */
type BodyDefinition<B extends z.ZodType> = { schema: B; mediaTypes?: string[]; maxBytes?: number; example: unknown; invalid: unknown };

type DocumentedHeader = { description: string; example: string | number };

/** `schema` has an id: its name in the OpenAPI document. `mediaType` is JSON by default. `content` takes the place of both. */
export type DocumentedResponse = {
  description: string;
  schema?: z.ZodType;
  mediaType?: string;
  example?: unknown;
  content?: Record<string, object>;
  /** Several examples by their names, in the place of one. */
  examples?: Record<string, { value: unknown }>;
  headers?: Record<string, DocumentedHeader>;
};

type Documentation = {
  method: Method;
  /** Written as in OpenAPI: `/api/content/{id}`. */
  path: string;
  /** Decides rate, slots and budgets. Endpoints without a token are `public`, and have no limits. */
  cost: Cost | 'public';
  summary: string;
  headers?: Record<string, z.ZodType>;
  responses: Record<number, DocumentedResponse>;
  /** What the handler throws besides the errors that follow from the other properties; see `errorsOf`. */
  errors?: readonly Problem[];
  /** Further schemas with an id, which name what clients should write in a parameter. */
  schemas?: z.ZodType[];
};

type Definition<Q extends z.ZodObject, B extends z.ZodType> = Documentation & {
  query?: QueryDefinition<Q>;
  body?: BodyDefinition<B>;
  handle(deps: EndpointDeps, call: Call<z.output<Q>, z.output<B>>): Promise<void> | void;
};

/** One request of an endpoint. A public endpoint has neither `user` nor `granted`. */
export type Call<Query, Body> = {
  ctx: EndpointContext;
  user: AuthenticatedUser;
  /** What the request holds within the limits. */
  granted: Granted;
  query: Query;
  contentId: number;
  /** Reads and validates the body, and asks for the block of the user again. @throws as `readJson` · Problem 403 */
  body: () => Promise<Body>;
};

/** Everything about an endpoint: the router, the limits and the OpenAPI document are made from it. */
export type Endpoint = Documentation & {
  query?: { schema: z.ZodObject; parse: (queryString: string) => unknown; invalid: string };
  body?: { schema: z.ZodType; mediaTypes: string[]; maxBytes?: number; example: unknown; invalid: unknown };
  handle(deps: EndpointDeps, ctx: EndpointContext, granted?: Granted): Promise<void>;
};

export type EndpointContext = RouterContext<State>;

export function bodyLimit(maxBytes = Infinity, { BODY_MAX_BYTES }: Pick<Limits, 'BODY_MAX_BYTES'>): number {
  return Math.min(maxBytes, BODY_MAX_BYTES);
}

type NoQuery = z.ZodObject<Record<never, never>>;

const JSON_TYPES = ['application/json'];

/** Gives the handler the types of query and body. */
export function endpoint<Q extends z.ZodObject = NoQuery, B extends z.ZodType = z.ZodUndefined>(definition: Definition<Q, B>): Endpoint {
  const { query, body, handle, ...documentation } = definition;
  const parse = query && queryParser(query.schema, query.check);
  const hasId = definition.path.includes('{id}');
  const { schema, mediaTypes = JSON_TYPES, maxBytes } = body ?? {};
  return {
    ...documentation,
    ...(query && parse && { query: { schema: query.schema, parse, invalid: query.invalid } }),
    ...(body && { body: { mediaTypes, ...body } }),
    handle: async (deps, ctx, granted) => {
      const limitBytes = bodyLimit(maxBytes, deps.limits);
      const call = {
        ctx,
        user: ctx.state.user,
        granted,
        query: parse?.(ctx.querystring) ?? {},
        contentId: hasId ? parseContentId(String(ctx.params['id'])) : NaN,
        body: async () => {
          const read = schema && granted && (await readJson(ctx, { limitBytes, mediaTypes, schema }, granted.body));
          // A body may take minutes.
          if (documentation.cost === 'write') await deps.blockedUsers.assertMayWrite(ctx.state.user);
          return read;
        },
      };
      await handle(deps, call as Call<z.output<Q>, z.output<B>>);
    },
  };
}
