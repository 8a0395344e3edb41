import { LIVE } from '@ugc/shared/contracts/content-index';
import { textRulesOf } from '@ugc/text/rules/text-rules';
import type { SearchDeps } from '../list.ts';
import { correctionsOf, isBeginning, isCorrection } from '@ugc/text/prompt/alternatives';
import { interpretPrompt } from '../prompt/interpret-prompt.ts';
import { possibleItem } from '@ugc/text/prompt/named-item';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { inSession, type Caller, type Found, type Query, type SearchBody, type Session } from '../session.ts';
import { beginningWith, distinctBy, isOfFew, mostDownloaded, mostDownloadedFirst, ofEachCreator, type Index } from './beginnings.ts';
import { CANDIDATES, foundNames, namedItem, nameSearch, namesOf, wholeNameSearch, type NamedItem, type Typed } from './names.ts';
import { withPictures } from './pictures.ts';
import { MAX_COMPLETIONS, type Completion, type SuggestParameters, type Suggestions } from './suggestions.ts';
import { replaceWords } from '@ugc/text/prompt/replace-words';
import { popularField } from '../downloads.ts';
import { beginningPattern } from '../text-fields.ts';
import { markSeparations } from '@ugc/text/words/separate';
import { beginningOfTagKeys, foldName, foldedTagOfKey, tagOfKey } from '@ugc/text/rules/keys';

/** The unit is a folded character. Nobody types so much of a name, and every term costs time. */
const MAX_LENGTH = 300;

/** @throws errors of `inSession` */
export async function suggest(
  deps: Omit<SearchDeps, 'pages' | 'database'>,
  { prompt, include }: SuggestParameters,
  caller: Caller,
): Promise<Suggestions> {
  return inSession(deps, caller, async (session) => {
    const found = await complete(session, deps, prompt);
    return include.includes('thumbnail') ? { ...found, completions: await withPictures(session, found.completions) } : found;
  });
}

async function complete(session: Session, { knownWords }: Pick<SearchDeps, 'knownWords'>, prompt: string): Promise<Suggestions> {
  const completions = await findCompletions(session, prompt);
  // If a word is misspelt, nothing contains it, so the prompt is only interpreted if there is no completion.
  if (completions.length > 0) return { completions };
  const rules = textRulesOf(session.index.mappingVersion);
  const { alternatives, unfinished } = await interpretPrompt(parsePrompt(prompt, rules), AS_WRITTEN, { session, knownWords });
  const beginnings = alternatives.filter((one) => isCorrection(one) && isBeginning(one) && one.from[0] === unfinished);
  const corrections = [...correctionsOf(alternatives), ...beginnings.map(({ from, to }) => [from.join(), to] as const)];
  const correction = replaceWords(prompt, rules, new Map(corrections));
  if (correction === prompt) return { completions };
  return { completions: await findCompletions(session, correction), correction };
}

const AS_WRITTEN = { match: 'any', correct: true } as const;

/** Finds the item whose id is the prompt, tags that begin with the prompt and names that contain it. @throws as `Session` */
export async function findCompletions(session: Session, prompt: string): Promise<Completion[]> {
  const { index } = session;
  const rules = textRulesOf(index.mappingVersion);
  const folded = foldName(prompt, rules);
  if (folded === '' || folded.length > MAX_LENGTH) return [];
  const typed = { prompt, folded, rules };
  const id = possibleItem(prompt);
  const [tagged, named, withId] = await session.searchMany([
    taggedSearch(folded, index),
    nameSearch(typed, index),
    ...(id === undefined ? [] : [idSearch(id)]),
  ]);
  const ids = idsOf(tagged, await taggedByOthers(session, tagged, folded));
  // One after the other, so that a suggestion takes no more of the share of its user.
  const asked = {
    ...(ids.length > 0 && { tags: tagSearch(ids, folded, index), wholeTag: wholeTagSearch(folded, index) }),
    ...furtherNames(named, typed, index),
  };
  const answers = await session.searchMany(Object.values(asked));
  const found = Object.fromEntries(Object.keys(asked).map((key, at) => [key, answers[at]]));
  const { tags, wholeTag } = found;
  const { consecutive, anyOrder } = foundNames([found['wholeName'], named, found['ofEach']]);
  const names = namesOf(consecutive, anyOrder, typed);
  return [...itemsOf(withId, id), ...choose(tagsOf(tags, { ids, folded, wholeTag }), names)].slice(0, MAX_COMPLETIONS);
}

/** @param named by `nameSearch` @returns the searches for what it leaves out */
function furtherNames(named: Found | undefined, typed: Typed, index: Index): Record<string, SearchBody> {
  const isFull = named !== undefined && named.hits.hits.length >= CANDIDATES;
  return {
    ...(isFull && { wholeName: wholeNameSearch(typed, index) }),
    ...(isFull && isOfFew(named, CANDIDATES) && { ofEach: ofEachCreator(nameSearch(typed, index)) }),
  };
}

/** @returns the most downloaded items of other creators, if those that were found are of few */
async function taggedByOthers(session: Session, tagged: Found | undefined, folded: string): Promise<Found | undefined> {
  if (!tagged || !isOfFew(tagged, COUNTED_ITEMS)) return undefined;
  const [found] = await session.searchMany([ofEachCreator(taggedSearch(folded, session.index))]);
  return found;
}

function idsOf(...found: (Found | undefined)[]): string[] {
  return [...new Set(found.flatMap((one) => one?.hits.hits ?? []).flatMap(({ _id: id }) => id ?? []))];
}

function idSearch(id: number): SearchBody {
  return {
    query: { bool: { filter: [LIVE, { term: { contentId: id } }] } },
    track_total_hits: false,
    _source: false,
    docvalue_fields: ['name'],
  };
}

function itemsOf(response: Found | undefined, id: number | undefined): Completion[] {
  return (response?.hits.hits ?? []).map(namedItem).map(({ name, contentId }) => ({ text: `#${id}`, type: 'item', name, contentId }));
}

/** Half of the completions are tags and half are names, unless there are fewer of one kind. */
function choose(tags: string[], names: NamedItem[]): Completion[] {
  const chosenTags = tags.slice(0, Math.max(MAX_COMPLETIONS / 2, MAX_COMPLETIONS - names.length));
  const chosenNames = names.slice(0, MAX_COMPLETIONS - chosenTags.length);
  return [
    ...chosenTags.map((text): Completion => ({ text, type: 'tag' })),
    ...chosenNames.map(({ name, contentId }): Completion => ({ text: name, type: 'name', contentId })),
  ];
}

/** Counting the tags of all items takes 50 ms for a common beginning in a million items, and of these 11 ms. */
const COUNTED_ITEMS = 100;

/** Searches the most downloaded items with a tag whose folded form begins with the folded prompt. */
function taggedSearch(folded: string, index: Index): SearchBody {
  return {
    query: { bool: { filter: [LIVE, tagBeginningWith(folded)] } },
    sort: mostDownloadedFirst(index),
    size: COUNTED_ITEMS,
    track_total_hits: false,
    _source: false,
    docvalue_fields: ['creatorId'],
  };
}

/** Another word ends where a script without blanks goes on. A prefix takes less time for other scripts. */
function tagBeginningWith(folded: string): Query {
  const mayBeSeparated = markSeparations(folded, '\0') !== folded;
  return mayBeSeparated ? { regexp: { tagKeys: { value: beginningPattern(folded) } } } : beginningWith('tagKeys', folded);
}

/** A tag that is typed completely comes first, however many items have longer ones. */
function wholeTagSearch(folded: string, index: Index): SearchBody {
  return { ...mostDownloaded({ prefix: { tagKeys: { value: beginningOfTagKeys(folded) } } }, index), docvalue_fields: ['tagKeys'] };
}

/** The spellings of a tag are keys of their own. */
const COUNTED_KEYS = 64;
/** Counts the keys of these items that begin with the folded prompt. Other keys, of up to 32 an item, are not returned. */
function tagSearch(ids: string[], folded: string, index: Index): SearchBody {
  return {
    query: { ids: { values: ids } },
    size: 0,
    aggregations: {
      keys: {
        terms: {
          field: 'tagKeys',
          include: beginningPattern(folded),
          // Reads the keys of these items only, and not those of the index.
          execution_hint: 'map',
          size: COUNTED_KEYS,
          order: [{ people: 'desc' }, { _count: 'desc' }, { downloads: 'desc' }, { _key: 'asc' }],
        },
        aggregations: {
          people: { cardinality: { field: 'creatorId' } },
          downloads: { max: { field: popularField(index) } },
          first: { top_hits: { size: 1, sort: mostDownloadedFirst(index), _source: false } },
        },
      },
    },
  };
}

type Bucket = { key: string; doc_count: number; people: { value: number }; first: { hits: { hits: { _id: string }[] } } };

type Counted = { ids: string[]; folded: string; wholeTag: Found | undefined };

/**
 * @param ids of the counted items, in their order
 * @param wholeTag has the keys of an item with the tag that is typed completely, if there is one
 * @returns the tag that is typed completely, then those that most creators of these items use, of equals those of most of the
 *   items, or of the first one; each only in its most frequent spelling
 */
function tagsOf(response: Found | undefined, { ids, folded, wholeTag }: Counted): string[] {
  const { buckets = [] } = (response?.aggregations?.['keys'] ?? {}) as { buckets?: Bucket[] };
  const rankOf = ({ first }: Bucket): number => ids.indexOf(first.hits.hits[0]?._id ?? '');
  const compare = (one: Bucket, other: Bucket): number =>
    other.people.value - one.people.value || other.doc_count - one.doc_count || rankOf(one) - rankOf(other);
  const sorted = buckets.toSorted(compare);
  const counted = sorted.map(({ key }) => key);
  const found = (wholeTag?.hits.hits ?? []).flatMap(({ fields }) => (fields?.['tagKeys'] ?? []) as string[]);
  const whole = [...counted, ...found].filter((key) => foldedTagOfKey(key) === folded);
  return distinctBy([...whole, ...counted], foldedTagOfKey).map(tagOfKey);
}
