import type { estypes } from '@elastic/elasticsearch';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { toTimestamp } from '@ugc/items/changes/content-item';
import { preferenceOf, searchInterpreted, type PromptDeps } from '../list.ts';
import { correctionHeader } from '../prompt/explanation.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';
import { SearchFailed, totalOf } from '../response.ts';
import { inSession, type Caller, type Found, type SearchBody, type SearchSource, type Session } from '../session.ts';
import type { Declared } from '../where.ts';
import { countEntries } from './entry-counts.ts';
import { fieldCounts, readFieldCount, type FieldFacets } from './field-counts.ts';
import { facetSearches, hoursSearch, readCreated, readFacets, type Sampled } from './facet-searches.ts';
import type { FacetParameters, Facets } from './facets.ts';
import type { Counting, HeldIndex } from './held-index.ts';
import { countByInterval, intervalOf, type Interval, type TimeCount } from './intervals.ts';
import { COUNTED_MAX, ofSample, probabilityFor, rareSearch, readSample } from './sampling.ts';

/** `correction` is the value of the header Search-Correction. */
type FacetResponse = { body: Facets; correction: string | undefined };

/** `countedMax`: with `counts=sampled`, more matches are counted in part. */
type FacetDeps = SearchSource & PromptDeps & { heldIndex: HeldIndex; countedMax?: number };

/** @throws errors of `inSession` */
export async function countFacets(
  { countedMax = COUNTED_MAX, ...deps }: FacetDeps,
  parameters: FacetParameters & Declared,
  caller: Caller,
): Promise<FacetResponse> {
  const limited = parameters.counts === 'sampled' ? { countedMax } : {};
  return inSession(deps, caller, async (session) => {
    const { found, interpretation } = await searchInterpreted(session, deps, parameters, {
      search: (prompt) =>
        searchHeld(session, deps.heldIndex, (counting) => searchFacets(session, counting, { parameters, prompt, ...limited })),
      isEmpty: ({ totalElements }) => totalElements === 0,
    });
    return { body: found, correction: interpretation && correctionHeader(interpretation) };
  });
}

/** @param search repeated without the point in time if that is gone */
async function searchHeld(session: Session, heldIndex: HeldIndex, search: (counting: Counting) => Promise<Facets>): Promise<Facets> {
  const counting = await heldIndex.for(session);
  return search(counting).catch((error: unknown) => {
    const isGone = counting.session !== session && error instanceof SearchFailed && error.status === 404;
    if (!isGone) throw error;
    heldIndex.forget();
    session.discard();
    return search({ session });
  });
}

type Matches = { parameters: FacetParameters & Declared; prompt: Interpretation | undefined; countedMax?: number };

/**
 * Takes the searches that count, one request for the names of creators and, if there are few days, one for the hours, and up
 * to three for parts of groups that are counted value by value.
 */
async function searchFacets(session: Session, counting: Counting, { parameters, prompt, ...limited }: Matches): Promise<Facets> {
  const { index } = session;
  const counts = fieldCounts(parameters, index);
  const searches = facetSearches(parameters, prompt, { index, counts });
  const preference = preferenceOf(parameters);
  const counted = readFacets(await searchAll(session, counting, { searches, preference, ...limited }));
  const { totalElements, creators, created: days, sampled, found: aggregates, ...facets } = counted;
  const interval = intervalOf(days ?? []);
  const isByHour = days && interval === 'hour';
  const [[names], hours] = await Promise.all([
    session.searchMany([creatorNamesSearch(creators?.values.map(({ creatorId }) => creatorId) ?? [])]),
    // The hours are of the same state as the days, by which the interval was chosen.
    isByHour && sendIn(session, counting, preference)(hoursSearch(parameters, prompt, { index, probability: sampled['created'] })),
  ]);
  const times = hours ? readCreated(readSample(hours.aggregations).found['created']) : days;
  const found = {
    ...facets,
    creators: creators && { ...creators, values: withCreatorNames(creators.values, names) },
    created: times && toCreated(times, interval),
    fields: await countFields(session, { parameters, prompt, counts, sampled }, aggregates),
  };
  // Every index that this code can search has those of 1.0.0, which are required.
  return { totalElements, ...timeOf(counting), ...sampledOf(parameters, sampled), facets: found as Facets['facets'] };
}

function sampledOf({ counts }: FacetParameters, sampled: Sampled): Pick<Facets, 'sampled'> {
  return counts === 'sampled' ? { sampled } : {};
}

function timeOf({ countedAt }: Counting): Pick<Facets, 'countedAt'> {
  return countedAt ? { countedAt: toTimestamp(countedAt) } : {};
}

/** `countedMax`: more matches of a search are counted in part. */
type Searches = { searches: estypes.SearchRequest[]; preference: string; countedMax?: number };

/** The total is always the present one, as that of the list. It is the first response. */
async function searchAll(
  session: Session,
  counting: Counting,
  { searches, preference, countedMax }: Searches,
): Promise<estypes.SearchResponse[]> {
  const isHeld = counting.session !== session;
  const count: Send = ({ query }) => session.search({ preference, query, size: 0, track_total_hits: true });
  const send = sendIn(session, counting, preference);
  if (countedMax !== undefined) return searchParts(searches, { count, send, countedMax });
  const total = isHeld ? searches.slice(0, 1).map(count) : [];
  return Promise.all([...total, ...searches.map(send)]);
}

type Send = (search: estypes.SearchRequest) => Promise<estypes.SearchResponse>;

/** @returns what sends the searches that count */
function sendIn(session: Session, counting: Counting, preference: string): Send {
  const isHeld = counting.session !== session;
  return (search) => counting.session.search(isHeld ? search : { preference, ...search });
}

type Ways = { count: Send; send: Send; countedMax: number };

/** Counts the matches of each search first, and then the values of all of them, or of a sample and those of rare fields. */
async function searchParts(searches: estypes.SearchRequest[], { count, send, countedMax }: Ways): Promise<estypes.SearchResponse[]> {
  const countOnce = onceForEachQuery(count);
  const counted = await Promise.all(searches.map(async (search) => ({ search, total: await countOnce(search) })));
  const ofPart = async (search: estypes.SearchRequest, probability: number | undefined): Promise<estypes.SearchResponse> => {
    const aggregations = ofSample(search.aggregations ?? {}, probability);
    const response = await send({ ...search, track_total_hits: false, aggregations });
    const rare = rareSearch(search, response, countedMax);
    return rare ? { ...response, aggregations: { ...response.aggregations, ...(await send(rare)).aggregations } } : response;
  };
  const parts = counted.flatMap(({ search, total }) => {
    // Elasticsearch refuses to sample nothing: the first search only counts if each facet ignores a filter.
    if (Object.keys(search.aggregations ?? {}).length === 0) return [];
    return [ofPart(search, probabilityFor(totalOf(total.hits), countedMax))];
  });
  return [...counted.slice(0, 1).map(({ total }) => total), ...(await Promise.all(parts))];
}

function onceForEachQuery(send: Send): Send {
  const sent = new Map<string, ReturnType<Send>>();
  return (search) => {
    const key = JSON.stringify(search.query);
    const found = sent.get(key) ?? send(search);
    sent.set(key, found);
    return found;
  };
}

/** @returns undefined if the request names none */
async function countFields(...[session, asked, found]: Parameters<typeof countEntries>): Promise<FieldFacets | undefined> {
  if (!asked.parameters.facetFields) return undefined;
  const counted = asked.counts.map((each) => [each.path, readFieldCount(each, found, asked.sampled)] as const);
  return { ...Object.fromEntries(counted), ...(await countEntries(session, asked, found)) };
}

function toCreated(counts: TimeCount[], interval: Interval): Facets['facets']['created'] {
  const toText = (time: number): string => toTimestamp(new Date(time));
  const values = countByInterval(counts, interval);
  return { interval, values: values.map(({ from, to, count }) => ({ from: toText(from), to: toText(to), count })) };
}

type Owned = Pick<ContentDocument, 'creatorId' | 'creatorName'>;

/** Finds one item of each creator. A search for each of 20 creators, which stops at its first item, takes longer. */
function creatorNamesSearch(creatorIds: number[]): SearchBody {
  return {
    query: { terms: { creatorId: creatorIds } },
    collapse: { field: 'creatorId' },
    size: creatorIds.length,
    sort: ['_doc'],
    track_total_hits: false,
    _source: ['creatorId', 'creatorName'],
  };
}

/**
 * Adds the names. Creators whose last items have been deleted since they were counted are omitted.
 * @param found the response to `creatorNamesSearch`
 */
function withCreatorNames<T extends { creatorId: number }>(creators: T[], found: Found | undefined) {
  const items = found?.hits.hits.map(({ _source }) => _source as Owned) ?? [];
  const names = new Map(items.map(({ creatorId, creatorName }) => [creatorId, creatorName]));
  return creators.flatMap((creator) => {
    const creatorName = names.get(creator.creatorId);
    return creatorName === undefined ? [] : [{ ...creator, creatorName }];
  });
}
