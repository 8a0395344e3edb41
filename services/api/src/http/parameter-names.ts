import { meantBy, stemOf } from '@ugc/items/fields/meant-names';
import { Problem } from '@ugc/items/problems/problem';

/**
 * The parameter that is meant; undefined for a name that has nothing to do with a known one. `problem`: how it must be written.
 * @param count of the parameters of the request @throws Problem 400 for an unknown name among too many
 */
export type ReadName = (written: string, count: number) => { parameter: string; problem?: string } | undefined;

/**
 * What clients of other services send: of GitHub (`q`, `per_page`), of Algolia (`query`, `hitsPerPage`), of Solr (`rows`), of
 * SQL. By stem. A name for which two parameters would be right is not listed.
 */
const MISTAKEN = new Map([
  ...['q', 'query', 'search', 'searchterm', 'keyword', 'keywords', 'term', 'text'].map((stem) => [stem, 'prompt'] as const),
  ...['limit', 'perpage', 'pagesize', 'hitsperpage', 'rows', 'take', 'top', 'maxresults'].map((stem) => [stem, 'size'] as const),
  ...['offset', 'skip', 'start', 'pagenumber', 'pageindex'].map((stem) => [stem, 'page'] as const),
  ...['author', 'authorid', 'creator', 'owner', 'ownerid', 'user', 'userid'].map((stem) => [stem, 'creatorId'] as const),
  ...['category', 'categories', 'label', 'labels'].map((stem) => [stem, 'tags'] as const),
  ...['since', 'fromdate', 'datefrom', 'startdate', 'createdafter'].map((stem) => [stem, 'createdFrom'] as const),
  ...['before', 'until', 'todate', 'dateto', 'enddate', 'createdbefore'].map((stem) => [stem, 'createdTo'] as const),
  ...['orderby', 'sortby', 'order', 'direction', 'sorting'].map((stem) => [stem, 'sort'] as const),
]);
/** What has another form than the mistaken parameter. */
const USE: Record<string, string> = { page: 'page, the zero-based number of a page', sort: 'sort=<field>,<asc or desc>' };

/**
 * Many clients add `[]` to the name of a list, so `tags[]` is `tags`. Other forms of a known name, such as `tags[0]`,
 * `Tags` or `prompt[]`, are an error, and so are names that people mistake for a known one: if they were ignored, the
 * response would contain what was not asked for.
 */
export function nameReader(names: { name: string; isRepeatable: boolean }[]): ReadName {
  const byStem = new Map(names.map(({ name, isRepeatable }) => [stemOf(name), { name, asList: isRepeatable ? `${name}[]` : undefined }]));
  const exact = new Map(
    [...byStem.values()].flatMap(({ name, asList }) => [name, ...(asList ? [asList] : [])].map((form) => [form, name])),
  );
  return (written, count) => {
    const parameter = exact.get(written);
    if (parameter !== undefined) return { parameter };
    if (count > PARAMETERS_MAX) throw tooManyParameters(count);
    const stem = stemOf(written);
    const known = byStem.get(stem);
    const meant = known ?? mistakenFor(stem, byStem) ?? meantBy(stem, byStem);
    if (!meant) return undefined;
    if (!known) return { parameter: meant.name, problem: `is not a parameter: use ${USE[meant.name] ?? meant.name}` };
    return { parameter: known.name, problem: `must be written as ${known.name}${known.asList ? ` or ${known.asList}` : ''}` };
  };
}

/** Known names have limits of their own, whose sum may be greater. The name of an unknown one is compared with all known ones. */
const PARAMETERS_MAX = 200;

function tooManyParameters(count: number): Problem {
  return new Problem(400, 'invalid-parameters', `The query string has ${count} parameters; the maximum is ${PARAMETERS_MAX}.`, {
    values: { max: PARAMETERS_MAX, is: count },
  });
}

function mistakenFor<T>(stem: string, byStem: Map<string, T>): T | undefined {
  return byStem.get(stemOf(MISTAKEN.get(stem) ?? ''));
}
