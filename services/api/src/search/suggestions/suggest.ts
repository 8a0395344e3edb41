import { textRulesOf, type TextRules } from '@ugc/text/rules/text-rules';
import type { SearchDeps } from '../list.ts';
import { correctionsOf, isBeginning, isCorrection } from '@ugc/text/prompt/alternatives';
import { interpretPrompt } from '../prompt/interpret-prompt.ts';
import { possibleItem } from '@ugc/text/prompt/named-item';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { strictLiterals } from '@ugc/text/prompt/split-words';
import { inSession, type Caller, type Found, type Query, type SearchBody, type Session } from '../session.ts';
import type { estypes } from '@elastic/elasticsearch';
import { withPictures } from './pictures.ts';
import { MAX_COMPLETIONS, type Completion, type SuggestParameters, type Suggestions } from './suggestions.ts';
import { containsAsWritten } from '@ugc/text/words/literals';
import { replaceWords } from '@ugc/text/prompt/replace-words';
import { anyOf, escapePattern, NAME_WORDS } from '../text-fields.ts';
import { continuedHangul } from '@ugc/text/words/hangul';
import { tokensOf } from '@ugc/text/words/tokens';
import { foldName, nameKey, foldedTagOfKey, tagOfKey } from '@ugc/text/rules/keys';

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
  const rules = textRulesOf(session.index.mappingVersion);
  const folded = foldName(prompt, rules);
  if (folded === '' || folded.length > MAX_LENGTH) return [];
  const id = possibleItem(prompt);
  const [tagged, named, withId] = await session.searchMany([
    taggedSearch(folded),
    nameSearch(folded, rules),
    ...(id === undefined ? [] : [idSearch(id)]),
  ]);
  const ids = (tagged?.hits.hits ?? []).flatMap(({ _id: id }) => id ?? []);
  const [tags] = ids.length === 0 ? [] : await session.searchMany([tagSearch(ids, folded)]);
  return [...itemsOf(withId, id), ...choose(tagsOf(tags, ids), namesOf(named, folded, rules))].slice(0, MAX_COMPLETIONS);
}

function idSearch(id: number): SearchBody {
  return {
    query: { bool: { filter: [{ term: { deleted: false } }, { term: { contentId: id } }] } },
    track_total_hits: false,
    _source: false,
    docvalue_fields: ['name'],
  };
}

function itemsOf(response: Found | undefined, id: number | undefined): Completion[] {
  return namedItems(response).map((item) => ({ text: `#${id}`, type: 'item', ...item }));
}

type NamedItem = { name: string; contentId: number };

function namedItems(response: Found | undefined): NamedItem[] {
  return (response?.hits.hits ?? []).map(({ _id, fields }) => ({ name: String(fields?.['name']), contentId: Number(_id) }));
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
function taggedSearch(folded: string): SearchBody {
  return {
    query: { bool: { filter: [{ term: { deleted: false } }, beginningWith('tagKeys', folded)] } },
    sort: MOST_DOWNLOADED,
    size: COUNTED_ITEMS,
    track_total_hits: false,
    _source: false,
  };
}

/** @returns the query for what begins with a folded text, of which the last syllable of Hangul may be half typed */
function beginningWith(field: string, folded: string): Query {
  const continued = continuedHangul(folded);
  if (continued.length === 0) return { prefix: { [field]: { value: folded } } };
  const after = (character: string): string => String.fromCharCode(character.charCodeAt(0) + 1);
  return anyOf(
    continued.map(({ beginning, first, last }) => ({ range: { [field]: { gte: beginning + first, lt: beginning + after(last) } } })),
  );
}

/** @returns a regular expression of Lucene for the same */
function patternOf(folded: string): string {
  const continued = continuedHangul(folded).map(({ beginning, first, last }) => `${escapePattern(beginning)}[${first}-${last}].*`);
  return continued.length === 0 ? `${escapePattern(folded)}.*` : continued.join('|');
}

/** The spellings of a tag are keys of their own. */
const COUNTED_KEYS = 64;
const MOST_DOWNLOADED: estypes.SortCombinations[] = [{ downloadsCount: 'desc' }, { contentId: 'desc' }];

/** Counts the keys of these items that begin with the folded prompt. Other keys, of up to 32 an item, are not returned. */
function tagSearch(ids: string[], folded: string): SearchBody {
  return {
    query: { ids: { values: ids } },
    size: 0,
    aggregations: {
      keys: {
        terms: {
          field: 'tagKeys',
          include: patternOf(folded),
          // Reads the keys of these items only, and not those of the index.
          execution_hint: 'map',
          size: COUNTED_KEYS,
          order: [{ _count: 'desc' }, { downloads: 'desc' }, { _key: 'asc' }],
        },
        aggregations: {
          downloads: { max: { field: 'downloadsCount' } },
          first: { top_hits: { size: 1, sort: MOST_DOWNLOADED, _source: false } },
        },
      },
    },
  };
}

type Bucket = { key: string; doc_count: number; first: { hits: { hits: { _id: string }[] } } };

/**
 * @param ids of the counted items, in their order
 * @returns the tags of most of these items first, of equally frequent ones those of the first item; each only in its most
 *   frequent spelling
 */
function tagsOf(response: Found | undefined, ids: string[]): string[] {
  const { buckets = [] } = (response?.aggregations?.['keys'] ?? {}) as { buckets?: Bucket[] };
  const rankOf = ({ first }: Bucket): number => ids.indexOf(first.hits.hits[0]?._id ?? '');
  const sorted = buckets.toSorted((one, other) => other.doc_count - one.doc_count || rankOf(one) - rankOf(other));
  return distinctBy(sorted.map(({ key }) => key), foldedTagOfKey).map(tagOfKey); // prettier-ignore
}

/** Enough for eight distinct names, if most names belong to few items. */
const CANDIDATES = 40;

/**
 * Searches names that contain the folded prompt as consecutive words, of which the last may be unfinished. The most
 * downloaded come first, and of these the newest.
 */
function nameSearch(folded: string, { separate }: TextRules): SearchBody {
  return {
    query: { bool: { filter: [{ term: { deleted: false } }, ...wordQueries(separate(folded)), ...symbolQueries(folded)] } },
    sort: MOST_DOWNLOADED,
    size: CANDIDATES,
    track_total_hits: false,
    _source: false,
    docvalue_fields: ['name'],
  };
}

/** A range of words cannot be the end of a phrase. */
function wordQueries(text: string): Query[] {
  const tokens = tokensOf(text);
  const last = tokens.at(-1);
  if (!last || continuedHangul(text).length === 0) return [{ match_phrase_prefix: { [NAME_WORDS]: { query: text } } }];
  const before: Query = { match_phrase: { [NAME_WORDS]: { query: text.slice(0, last.start) } } };
  return [...(tokens.length > 1 ? [before] : []), beginningWith(NAME_WORDS, last.text)];
}

/** @returns the items, without those whose names differ only in accents, letter case and blanks */
function namesOf(response: Found | undefined, folded: string, rules: TextRules): NamedItem[] {
  const items = namedItems(response);
  const isStrict = strictLiterals(folded).length > 0;
  // An item may have the literals of the prompt in another field than its name.
  const matching = isStrict ? items.filter(({ name }) => containsAsWritten(rules.fold(name), folded)) : items;
  return distinctBy(matching, ({ name }) => nameKey(name, rules));
}

/** The index has `c++` as the word `c`, with which many words begin. */
function symbolQueries(folded: string): Query[] {
  return strictLiterals(folded).map(({ text, isLast }) =>
    isLast ? { prefix: { literals: { value: text } } } : { term: { literals: { value: text } } },
  );
}

/** @returns the first values with different keys, in order; no more than are shown */
function distinctBy<T>(values: T[], keyOf: (value: T) => string): T[] {
  const distinct = new Map<string, T>();
  for (const value of values) {
    if (distinct.size === MAX_COMPLETIONS) break;
    const key = keyOf(value);
    if (!distinct.has(key)) distinct.set(key, value);
  }
  return [...distinct.values()];
}
