import type { estypes } from '@elastic/elasticsearch';
import { LIVE } from '@ugc/shared/contracts/content-index';
import { nameKey } from '@ugc/text/rules/keys';
import { STOP_WORDS } from '@ugc/text/languages/languages';
import type { TextRules } from '@ugc/text/rules/text-rules';
import { strictLiterals, typedWords } from '@ugc/text/prompt/split-words';
import { continuedHangul } from '@ugc/text/words/hangul';
import { containsAsWritten } from '@ugc/text/words/literals';
import { tokensOf } from '@ugc/text/words/tokens';
import type { Found, Query, SearchBody } from '../session.ts';
import { anyOf, nameBeginning, NAME_WORDS } from '../text-fields.ts';
import { beginningWith, creatorOf, distinctBy, fairly, mostDownloaded, mostDownloadedFirst, type Hit, type Index } from './beginnings.ts';

export type NamedItem = { name: string; contentId: number };
type Owned = NamedItem & { creatorId: number; downloads: number };

/** Enough for eight distinct names, if most names belong to few items. */
export const CANDIDATES = 40;

/**
 * Searches names that contain the folded prompt as consecutive words, of which the last may be unfinished, and names that
 * begin with it however their words are joined. Behind these come names that contain its words in any order. The most
 * downloaded come first, and of these the newest.
 */
export function nameSearch(typed: Typed, index: Index): SearchBody {
  const [consecutive, inAnyOrder] = [consecutiveQuery(typed), anyOrderQuery(typed)];
  const sort = mostDownloadedFirst(index);
  if (!inAnyOrder) return namesWith({ filter: [LIVE, consecutive] }, sort);
  const should = [{ constant_score: { filter: consecutive, boost: 1 } }, { constant_score: { filter: inAnyOrder, boost: 0 } }];
  return namesWith({ filter: [LIVE], should, minimum_should_match: 1 }, [{ _score: { order: 'desc' } }, ...sort]);
}

function consecutiveQuery({ prompt, folded, rules: { separate, nameKeys } }: Typed): Query {
  const words: Query = { bool: { filter: [...wordQueries(separate(folded)), ...symbolQueries(folded)] } };
  return anyOf([words, ...nameKeys(prompt).joined.flatMap(joinedQuery)]);
}

/**
 * Stop words before the last word do not count, as in lists. The letters of `カメラ` stand in this order, as those of `camera`.
 * @returns undefined for one word
 */
function anyOrderQuery({ folded, rules: { separate } }: Typed): Query | undefined {
  const words = typedWords(folded, separate);
  const last = words.at(-1);
  if (last === undefined || words.length === 1) return undefined;
  const before = words.slice(0, -1).filter((word) => !STOP_WORDS.includes(word));
  const asked = before.map((word): Query => ({ match_phrase: { [NAME_WORDS]: word } }));
  return { bool: { filter: [...asked, ...wordQueries(last), ...symbolQueries(folded)] } };
}

function namesWith(bool: estypes.QueryDslBoolQuery, sort: estypes.SortCombinations[]): SearchBody {
  return { query: { bool }, sort, size: CANDIDATES, track_total_hits: false, _source: false, docvalue_fields: NAME_AND_CREATOR };
}

/** @param responses to `nameSearch` and `wholeNameSearch` @returns the items with consecutive words, and the others, each once */
export function foundNames(responses: (Found | undefined)[]): { consecutive: Owned[]; anyOrder: Owned[] } {
  const hits = responses.flatMap((response) => response?.hits.hits ?? []);
  const distinct = [...new Map(hits.map((hit) => [hit._id, hit])).values()];
  return {
    consecutive: distinct.filter((hit) => !isBehind(hit)).map(namedItem),
    anyOrder: distinct.filter(isBehind).map(namedItem),
  };
}

/** The names of one word are not sorted by the score. */
function isBehind({ sort: [score, ...byDownloads] = [] }: Hit): boolean {
  return byDownloads.length === DOWNLOADS_ORDER && score === 0;
}
const DOWNLOADS_ORDER = 2;

export function namedItem(hit: Hit): Owned {
  const downloads = Number(hit.sort?.at(-DOWNLOADS_ORDER));
  return { name: String(hit.fields?.['name']), contentId: Number(hit._id), creatorId: creatorOf(hit), downloads };
}

const NAME_AND_CREATOR = ['name', 'creatorId'];

/** The length of the key, of which two characters say its kind. Shorter ones are the beginnings of too many names. */
const MIN_JOINED_LENGTH = 6;

function joinedQuery(key: string): Query[] {
  return key.length < MIN_JOINED_LENGTH ? [] : [{ prefix: { nameKey: { value: key } } }];
}

/** A range of words cannot be the end of a phrase. */
function wordQueries(text: string): Query[] {
  const tokens = tokensOf(text);
  const last = tokens.at(-1);
  if (!last || continuedHangul(text).length === 0) return [nameBeginning(text)];
  const before: Query = { match_phrase: { [NAME_WORDS]: { query: text.slice(0, last.start) } } };
  return [...(tokens.length > 1 ? [before] : []), beginningWith(NAME_WORDS, last.text)];
}

export type Typed = { prompt: string; folded: string; rules: TextRules };

/**
 * @param consecutive items whose names contain the words of the prompt next to each other
 * @param anyOrder further ones, whose names contain them somewhere
 * @returns first the item whose name is the prompt, then the consecutive ones, of both two of each creator before further
 *   ones; none whose name differs only in accents, letter case and blanks
 */
export function namesOf(consecutive: Owned[], anyOrder: Owned[], { prompt, folded, rules }: Typed): NamedItem[] {
  const literals = strictLiterals(folded).map(({ text }) => text);
  // An item may have the literals of the prompt in another field than its name.
  const containing = (items: Owned[], texts: string[]): Owned[] =>
    literals.length === 0 ? items : items.filter(({ name }) => texts.every((text) => containsAsWritten(rules.fold(name), text)));
  const asWritten = containing(consecutive, [folded]);
  const notAsWritten = consecutive.filter((item) => !asWritten.includes(item));
  const others = [...notAsWritten, ...anyOrder].toSorted((a, b) => b.downloads - a.downloads || b.contentId - a.contentId);
  const matching = [...fairly(asWritten), ...fairly(containing(others, literals))];
  const typed = rules.nameKeys(prompt);
  const rankOf = ({ name }: NamedItem): number => {
    const { whole, joined } = rules.nameKeys(name);
    return [whole === typed.whole, joined[0] !== undefined && joined[0] === typed.joined[0]].filter((is) => !is).length;
  };
  const ranked = matching.toSorted((one, other) => rankOf(one) - rankOf(other));
  return distinctBy(ranked, ({ name }) => nameKey(name, rules)).map(({ name, contentId }) => ({ name, contentId }));
}

/** The index has `c++` as the word `c`, with which many words begin. */
function symbolQueries(folded: string): Query[] {
  return strictLiterals(folded).map(({ text, isLast }) =>
    isLast ? { prefix: { literals: { value: text } } } : { term: { literals: { value: text } } },
  );
}

/** A name that is typed completely comes first, however many items have longer ones. */
export function wholeNameSearch({ prompt, rules: { nameKeys } }: Typed, index: Index): SearchBody {
  const { whole, joined } = nameKeys(prompt);
  return { ...mostDownloaded({ terms: { nameKey: [whole, ...joined.slice(0, 1)] } }, index), docvalue_fields: NAME_AND_CREATOR };
}
