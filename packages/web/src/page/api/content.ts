import { formatList, parseView, type View } from '../location/query-string.ts';
import { declaredFields } from '../location/declared-fields.ts';
import { countedFields } from './counted-fields.ts';
import { learnNames } from './creator-names.ts';
import { isDeleted } from './deletions.ts';
import { RequestFailed, send, type Request, type Response } from './request.ts';
import type { ContentItem, Facets, ListPage, Suggestions } from './types.ts';
import { t } from '../../messages/texts.ts';

/** The lists that are read from PostgreSQL. */
const SHELVES = { true: 'api/content/hidden?', mine: 'api/users/me/content?', review: 'api/content/hidden?kind=review&' };

/**
 * What the page asks for by itself, and a process may refuse: one of 1.0.0 that runs beside the one the page came from, or
 * one that knows of a field that has been removed since.
 */
const ADDED = /^(match=closest|facetFields=.*|include=fields)$/;

/** Sends a request that reads, and again without what is `ADDED` if it is refused with it. */
export async function read<T>({ path, signal }: Pick<Request, 'path' | 'signal'>): Promise<Response<T>> {
  const [resource = '', query = ''] = path.split('?');
  const known = query.split('&').filter((parameter) => !ADDED.test(parameter));
  return send<T>({ path, signal }).catch((error: unknown) => {
    const isRefused = error instanceof RequestFailed && error.status === 400 && known.join('&') !== query;
    if (isRefused) return send<T>({ path: `${resource}?${known.join('&')}`, signal });
    throw error;
  });
}

/** Also the items that the user has deleted, since this can be undone: whoever shows them leaves those out. */
export async function listItems(view: View, signal?: AbortSignal): Promise<ListPage> {
  const path = view.hidden
    ? shelfOf(view)
    : `api/content?${formatList(view)}&fields=summary&include=tags&include=thumbnail&highlight=true&explain=true&totals=false`;
  const { body } = await read<ListPage>({ path, signal });
  learnNames(body.content);
  return body;
}

export function shelfOf({ hidden, page, size }: View): string {
  return `${SHELVES[`${hidden ?? true}`]}page=${page}&size=${size}&fields=summary&include=thumbnail`;
}

/**
 * Of many matches, the counts are estimated, so that their time does not grow with the collection. Those of tags with a
 * certain beginning are exact: an estimate knows nothing of rare tags.
 * @param paths the declared fields to count
 */
export async function countFacets(
  view: View,
  tagPrefix: string,
  signal: AbortSignal,
  paths = countedFields(view)[0] ?? [],
): Promise<Facets> {
  const fields = paths.map((path) => `&facetFields=${path}`).join('');
  const prefix = tagPrefix.trim();
  const sampled = prefix === '' ? '&counts=sampled' : '';
  const path = `api/content/facets?${formatList(view)}&tagPrefix=${encodeURIComponent(prefix)}${fields}${sampled}`;
  const { body } = await read<Facets>({ path, signal });
  learnNames(body.facets.creators.values);
  return body;
}

export async function suggest(prompt: string, signal?: AbortSignal): Promise<Suggestions> {
  return (await send<Suggestions>({ path: `api/content/suggest?include=thumbnail&prompt=${encodeURIComponent(prompt)}`, signal })).body;
}

/** `tag` is the entity tag of the item as it was read. */
export type ReadItem = { item: ContentItem; tag: string };

export async function getItem(contentId: number, signal?: AbortSignal): Promise<ReadItem> {
  if (isDeleted(contentId)) throw new RequestFailed(404, { detail: t('youDeleted') });
  const key = keyFor(contentId);
  const fields = declaredFields.length > 0 ? '&include=fields' : '';
  const path = `${pathOf(contentId)}?include=tags&include=fileName&include=thumbnail&include=ratingCount${fields}${key && '&'}${key}`;
  const { body, header } = await read<ContentItem>({ path, signal });
  learnNames([body]);
  return { item: body, tag: header('ETag') };
}

/** @throws RequestFailed 404 if the item has no thumbnail */
export async function getThumbnail(contentId: number, signal: AbortSignal): Promise<Blob> {
  return (await send<Blob>({ path: withKey(contentId, 'thumbnail'), responseType: 'blob', signal })).body;
}

/** The address has the key of the unlisted item that it opens. */
function keyFor(contentId: number): string {
  const { item, key } = parseView(location.search);
  return item === contentId && key !== undefined ? `key=${key}` : '';
}

export function withKey(contentId: number, part: string): string {
  const key = keyFor(contentId);
  return `${pathOf(contentId)}/${part}${key && '?'}${key}`;
}

export function pathOf(contentId: number): string {
  return `api/content/${contentId}`;
}
