import type { estypes } from '@elastic/elasticsearch';
import { NO_FIELDS, type Definitions } from '@ugc/fields/definition';
import { searchedFields } from '@ugc/fields/index-fields';
import { foldedUnits } from '@ugc/text/words/fold-text';
import { pageTooLarge, parseComplete, totalOf } from './response.ts';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { jsonBytes } from '@ugc/items/changes/item-limits';
import type { RankingReason } from '@ugc/items/changes/ranking-reasons';
import {
  fromDocument,
  withIncluded,
  type ContentItem,
  type ContentSummary,
  type Hidden,
  type PublicDownloads,
  type Marks,
} from '@ugc/items/changes/content-item';
import { highlightItem } from './highlight/fragments.ts';
import { MarkFinder, type SearchedText } from '@ugc/text/marks/mark-finder';
import type { Explanation } from './prompt/explanation.ts';
import { toPage, toSlice } from './page.ts';
import type { Include } from './parameters.ts';
import { reasonsOf } from './reasons.ts';

/**
 * `shards` is the number of shards that the search must cover. `total` is undefined if the response contains it. With
 * `reversed`, the hits are in the opposite order. `order` has their ids in the order of the page.
 */
export type PageRequest = {
  /** Undefined for a list that has neither pages nor a total. */
  page?: number;
  size: number;
  /** Whether the page is without totals. */
  isSlice?: boolean;
  /** Whether the page follows another one, although its number is 0. */
  isContinued?: boolean;
  include: Include;
  /** The declared fields; none by default. */
  declared?: Definitions | undefined;
  /** The place of the next page; undefined if there is none, or in other orders. */
  next?: string | undefined;
  /** Whether the items are without `data`, as the response is. */
  isSummary: boolean;
  /** What is marked in `highlights`; undefined for a page without them. */
  highlighted?: SearchedText | undefined;
  interpretation?: Explanation | undefined;
  shards: number;
  publicDownloads?: PublicDownloads;
  total?: number | undefined;
  reversed?: boolean | undefined;
  order?: number[] | undefined;
  /** The names of the clauses that the items match, by their ids; by default, the hits have them. */
  names?: Map<number, string[]> | undefined;
  /** Whether the items have `reasons`. */
  isReasoned?: boolean;
  /** Undefined if the response has `data` of the items, or if the page is without it. */
  data?: ItemData | undefined;
};

/** `texts` in UTF-8 by the id of the item; `bytes`: their size. In JSON, page and texts may have `maxBytes`. */
export type ItemData = { texts: Map<number, Uint8Array<ArrayBuffer>>; bytes: number; maxBytes: number };

/**
 * The items of a page are marked until their searched texts have so many UTF-16 units, which takes about 0.7 s, and
 * `COST_OF_FORMS` times as long with other forms of words. New items have at most 30,000.
 */
const MARKED_UNITS_MAX = 1_000_000;
/** The forms of each word are compared by the rules of all languages, and those of the ends that it may have as a compound. */
const COST_OF_FORMS = 4;

/**
 * Pure, so that any thread can run it.
 * @returns undefined if marks have to be searched for in more than `markedUnitsMax`, with forms in a part of that
 * @throws as `parseComplete` · Problem 400 if the page is too large
 */
export function renderPage(response: Uint8Array, request: PageRequest, markedUnitsMax = Infinity): Buffer | undefined {
  const { hits } = parseComplete(response, request.shards);
  const documents = documentsOf(hits, request, response.byteLength);
  const units = request.highlighted ? documents.map((document) => searchedUnits(document, request.declared)) : [];
  if (sum(units) * costOf(request.highlighted) > markedUnitsMax) return undefined;
  const reasons = request.isReasoned ? reasonsIn(hits, request) : undefined;
  const items = toItems(documents, units, { ...request, reasons });
  const { page: number, size, include, isSlice, isContinued, interpretation } = request;
  if (number === undefined) return Buffer.from(JSON.stringify({ content: items }));
  const position = { number, size, total: request.total ?? totalOf(hits), isContinued };
  const page = isSlice ? toSlice(items, position) : toPage(items, position);
  const next = include.includes('next') ? (request.next ?? null) : undefined;
  return Buffer.from(JSON.stringify({ ...page, next, interpretation }));
}

function costOf(searched: SearchedText | undefined): number {
  return searched?.terms.some(({ by }) => by === 'key') ? COST_OF_FORMS : 1;
}

/** @returns the documents of the hits, in the order of the page and with `data` */
function documentsOf({ hits }: estypes.SearchHitsMetadata, request: PageRequest, responseBytes: number): FoundDocument[] {
  const { reversed, order, data, size } = request;
  const found = hits.map((hit) => hit._source as FoundDocument);
  if (reversed) found.reverse();
  const ordered = order ? inOrder(found, order) : found;
  if (!data) return ordered;
  const complete = withData(ordered, data);
  // JSON escapes characters.
  if (responseBytes + sum(complete.map((document) => jsonBytes(document.data))) > data.maxBytes) throw pageTooLarge(size, data.maxBytes);
  return complete;
}

function reasonsIn({ hits }: estypes.SearchHitsMetadata, { names }: PageRequest): Reasons {
  return new Map(
    hits.map(({ _source, matched_queries: matched = [] }) => {
      const { contentId } = _source as FoundDocument;
      return [contentId, reasonsOf(names ? (names.get(contentId) ?? []) : (matched as string[]))];
    }),
  );
}

function inOrder(documents: FoundDocument[], ids: number[]): FoundDocument[] {
  const byId = new Map(documents.map((document) => [document.contentId, document]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Leaves items out that PostgreSQL does not have any more. */
function withData(documents: FoundDocument[], { texts }: ItemData): FoundDocument[] {
  return documents.flatMap((document) => {
    const bytes = texts.get(document.contentId);
    return bytes ? [{ ...document, data: Buffer.from(bytes.buffer).toString() }] : [];
  });
}

function searchedUnits(document: ContentDocument, declared = NO_FIELDS): number {
  const { name, description, tags } = document;
  const texts = declaredTexts(document, declared).flatMap((field) => field.texts);
  // Folding leaves marks out, and borders of case are looked for in the text as it is written.
  return sum([name, description, ...tags, ...texts].map((text) => Math.max(text.length, foldedUnits(text))));
}

function declaredTexts({ values = {} }: ContentDocument, declared: Definitions) {
  return searchedFields(values, declared);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

type Items = (ContentItem | ContentSummary)[];
/** The key is the id of an item. */
type Reasons = Map<number, RankingReason[]>;
type ItemsRequest = PageRequest & { reasons: Reasons | undefined };
/** `hidden` and `marks`: of an item that is hidden, or not published. No document of the index has them. */
export type FoundDocument = ContentDocument & { hidden?: Hidden; marks?: Marks };

/** @param units of the documents, in which marks are searched for */
function toItems(
  documents: FoundDocument[],
  units: number[],
  { include, isSummary, highlighted, reasons, publicDownloads = 'all', declared = NO_FIELDS }: ItemsRequest,
): Items {
  const finder = highlighted && new MarkFinder(highlighted);
  let unitsLeft = MARKED_UNITS_MAX;
  return documents.map((document, position) => {
    const { hidden } = document;
    const { data, ...summary } = {
      ...withIncluded(fromDocument(document, publicDownloads), { ...document, fields: document.values }, { include, declared }),
      ...(hidden && { hidden }),
      ...(reasons && { reasons: reasons.get(document.contentId) ?? [] }),
    };
    const item = isSummary ? summary : { data, ...summary };
    if (!finder) return item;
    unitsLeft -= units[position] ?? 0;
    return {
      ...item,
      highlights: unitsLeft < 0 ? {} : highlightItem({ ...document, declared: declaredTexts(document, declared) }, finder),
    };
  });
}
