import { errors, type TransportRequestParams } from '@elastic/elasticsearch';

/** The context of a result whose request was sent in the form of OpenSearch. */
export const OPENSEARCH = 'OpenSearch';

/** The oldest version that the service was tested with. */
const MIN_VERSION = { major: 3, minor: 2 };

/** The server is an OpenSearch, but one that is too old. The message is a sentence for operators, without its subject. */
export class UnsupportedOpenSearch extends errors.ElasticsearchClientError {
  constructor(version: string) {
    super(`is OpenSearch ${version}, and this service needs version ${MIN_VERSION.major}.${MIN_VERSION.minor} or newer: upgrade it`);
    this.name = 'UnsupportedOpenSearch';
  }
}

/** @param info the response to `GET /` · @throws UnsupportedOpenSearch */
export function isOpenSearch(info: string): boolean {
  const { distribution, number: version = '' } = parseVersion(info);
  if (distribution !== 'opensearch') return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < MIN_VERSION.major || (major === MIN_VERSION.major && minor < MIN_VERSION.minor)) throw new UnsupportedOpenSearch(version);
  return true;
}

function parseVersion(info: string): { distribution?: string; number?: string } {
  try {
    return (JSON.parse(info) as { version?: object }).version ?? {};
  } catch {
    return {};
  }
}

/** A request of Elasticsearch that OpenSearch has in another form, and its response in the form of Elasticsearch. */
type Translation = {
  toRequest: (request: TransportRequestParams) => TransportRequestParams;
  toBody?: (body: never) => unknown;
};

const POINT_IN_TIME = '/_search/point_in_time';

/** The keys are the client's names of the requests. */
const TRANSLATIONS: Partial<Record<string, Translation>> = {
  open_point_in_time: {
    toRequest: ({ path, querystring, ...request }) => ({
      ...request,
      path: path.replace(/\/_pit$/, POINT_IN_TIME),
      // Elasticsearch refuses by default to open one of a part of the shards.
      querystring: { ...(querystring as object), allow_partial_pit_creation: false },
    }),
    toBody: ({ pit_id: id, ...body }: { pit_id: string }) => ({ ...body, id }),
  },
  close_point_in_time: {
    toRequest: ({ body, ...request }) => ({ ...request, path: POINT_IN_TIME, body: { pit_id: [(body as { id: string }).id] } }),
  },
  // OpenSearch does not know the option: docs/stores.md.
  'indices.put_index_template': {
    toRequest: ({ body, ...request }) => ({ ...request, body: { ...(body as Json), allow_auto_create: undefined } }),
  },
  // OpenSearch counts the segments of a shard apart by default. Their largest counts are no exact sums, which facets need.
  'indices.create': {
    toRequest: ({ body, ...request }) => ({
      ...request,
      body: withSettings(body as Json | undefined, { 'search.concurrent_segment_search.mode': 'none' }),
    }),
  },
  search: {
    toRequest: ({ body, ...request }) => ({ ...request, body: withoutSampler(body as Json | undefined) as Json }),
  },
};

type Json = Record<string, unknown>;

export function toOpenSearch(request: TransportRequestParams): TransportRequestParams {
  return TRANSLATIONS[request.meta?.name ?? '']?.toRequest(request) ?? request;
}

/** @param body the parsed body of a response to a translated request */
export function fromOpenSearch({ meta }: TransportRequestParams, body: unknown): unknown {
  const toBody = TRANSLATIONS[meta?.name ?? '']?.toBody;
  return toBody ? toBody(body as never) : body;
}

function withSettings(body: Json | undefined, settings: Json): Json {
  return { ...body, settings: { ...(body?.['settings'] as Json | undefined), ...settings } };
}

/**
 * OpenSearch has no `random_sampler`. As many items are counted by a filter, whose counts are not divided by the probability.
 * The filter reads all matches, so if a sample only saves time, which its `orAll` says, it counts them all.
 */
function withoutSampler(body: Json | undefined): Json | undefined {
  const [name] = ['aggs', 'aggregations'].filter((each) => body?.[each] !== undefined);
  if (name === undefined) return body;
  const replaced = Object.entries(body?.[name] as Record<string, Json>).map(([key, aggregation]) => [key, toFilter(aggregation)]);
  return { ...body, [name]: Object.fromEntries(replaced) as Json };
}

function toFilter({ random_sampler: sampler, ...aggregation }: Json): Json {
  if (!sampler) return aggregation;
  if ((aggregation['meta'] as Json | undefined)?.['orAll']) return { ...aggregation, filter: { match_all: {} } };
  const { probability, seed } = sampler as { probability: number; seed: number };
  const random_score = { seed, field: '_seq_no' };
  return {
    ...aggregation,
    filter: { function_score: { functions: [{ random_score }], boost_mode: 'replace', min_score: 1 - probability } },
  };
}
