import { readCondition } from '../location/conditions.ts';
import { formatList, listOf, parseView, type View } from '../location/query-string.ts';
import { countedPaths, declaredFields } from '../location/declared-fields.ts';
import { learnNames } from './creator-names.ts';
import { isDeleted, withoutDeleted } from './deletions.ts';
import { RequestFailed, send, type Request, type Response } from './request.ts';
import type {
  ContentItem,
  ContentSummary,
  ContentSummaryPage,
  Creator,
  Edit,
  Facets,
  OwnRating,
  SimilarSummaries,
  Suggestions,
  Upload,
} from './types.ts';
import { t } from '../../messages/texts.ts';

/** The response to a change waits until lists show it, for at most five seconds. */
export const WAIT = { Prefer: 'wait=5' };

type Progress = (share: number) => void;

/** The lists that are read from PostgreSQL. */
const SHELVES = { true: 'api/content/hidden?', mine: 'api/users/me/content?', review: 'api/content/hidden?kind=review&' };

/**
 * What the page asks for by itself, and a process may refuse: one of 1.0.0 that runs beside the one the page came from, or
 * one that knows of a field that has been removed since.
 */
const ADDED = /^(match=closest|facetFields=.*|include=fields)$/;

/** Sends a request without what is `ADDED` if it is refused with it. */
async function read<T>({ path, signal }: Pick<Request, 'path' | 'signal'>): Promise<Response<T>> {
  const [resource = '', query = ''] = path.split('?');
  const known = query.split('&').filter((parameter) => !ADDED.test(parameter));
  return send<T>({ path, signal }).catch((error: unknown) => {
    const isRefused = error instanceof RequestFailed && error.status === 400 && known.join('&') !== query;
    if (isRefused) return send<T>({ path: `${resource}?${known.join('&')}`, signal });
    throw error;
  });
}

export async function listItems(view: View, signal?: AbortSignal): Promise<ContentSummaryPage> {
  const path = view.hidden
    ? `${SHELVES[`${view.hidden}`]}page=${view.page}&size=${view.size}&fields=summary&include=thumbnail`
    : `api/content?${formatList(view)}&fields=summary&include=tags&include=thumbnail&highlight=true&explain=true`;
  const { body } = await read<ContentSummaryPage>({ path, signal });
  learnNames(body.content);
  return withoutDeleted(body);
}

export async function countFacets(view: View, tagPrefix: string, signal: AbortSignal): Promise<Facets> {
  const path = `api/content/facets?${formatList(view)}&tagPrefix=${encodeURIComponent(tagPrefix)}${countedFields(view)}`;
  const { body } = await read<Facets>({ path, signal });
  learnNames(body.facets.creators.values);
  return body;
}

export async function suggest(prompt: string, signal?: AbortSignal): Promise<Suggestions> {
  return (await send<Suggestions>({ path: `api/content/suggest?include=thumbnail&prompt=${encodeURIComponent(prompt)}`, signal })).body;
}

/** So many fields are counted at most, and so many of them with conditions of their own. */
const [COUNTED_MAX, COUNTED_APART_MAX] = [8, 4];

function countedFields({ where }: View): string {
  const isConditioned = (path: string): boolean => where.some((condition) => readCondition(condition).path === path);
  const paths = declaredFields.flatMap(countedPaths).slice(0, COUNTED_MAX);
  const apart = paths.filter(isConditioned).slice(COUNTED_APART_MAX);
  return paths.flatMap((path) => (apart.includes(path) ? [] : `&facetFields=${path}`)).join('');
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

export async function listSimilar(contentId: number, size: number, signal: AbortSignal): Promise<ContentSummary[]> {
  return (
    await send<SimilarSummaries>({ path: `${pathOf(contentId)}/similar?size=${size}&fields=summary&include=thumbnail`, signal })
  ).body.content.filter((item) => !isDeleted(item.contentId));
}

/** The newest items of a creator. */
export async function listOfCreator(creatorId: number, size: number, signal: AbortSignal): Promise<ContentSummary[]> {
  return listRow({ ...listOf(creatorId), size }, signal);
}

/** The first items of a list, without its total. Of a list that the index cannot have yet there are none. */
export async function listRow(view: View, signal: AbortSignal): Promise<ContentSummary[]> {
  const path = `api/content?${formatList(view)}&fields=summary&include=thumbnail&totals=false`;
  const read = send<ContentSummaryPage>({ path, signal }).catch((error: unknown) => {
    if (error instanceof RequestFailed && !error.isTemporary) return { body: { content: [] } };
    throw error;
  });
  const { content } = (await read).body;
  learnNames(content);
  return content.filter((item) => !isDeleted(item.contentId));
}

/** @throws RequestFailed 404 without items in lists */
export async function readCreator(creatorId: number, signal: AbortSignal): Promise<Creator> {
  const { body } = await send<Creator>({ path: `api/users/${creatorId}`, signal });
  learnNames([{ creatorId, creatorName: body.username }]);
  return body;
}

/** @returns undefined if the item has no thumbnail */
export async function getThumbnail(contentId: number, signal: AbortSignal): Promise<Blob | undefined> {
  const request = { path: withKey(contentId, 'thumbnail'), responseType: 'blob', signal } as const;
  const response = await send<Blob>(request).catch((error: unknown) => {
    if (error instanceof RequestFailed && error.status === 404) return undefined;
    throw error;
  });
  return response?.body;
}

type Stored = { content_id: number; visibility?: ContentItem['visibility'] };
type Uploaded = { contentId: number; visibility: Stored['visibility']; isListed: boolean };

/** @param key makes it safe to send the same upload again. @returns whether lists show the item: the wait may have ended before */
export async function uploadItem(upload: Upload, key: string, onProgress: Progress): Promise<Uploaded> {
  const headers = { ...WAIT, 'Idempotency-Key': key };
  const { body, header } = await send<Stored>({ method: 'POST', path: 'content', headers, body: upload, onProgress });
  const { content_id: contentId, visibility = 'public' } = body;
  return { contentId, visibility, isListed: header('Preference-Applied') !== '' };
}

/** @returns the item without tags and file name @throws RequestFailed 412 if the item was edited after `tag` was read */
export async function editItem(contentId: number, edit: Edit, tag: string, onProgress: Progress): Promise<ReadItem> {
  const headers = { ...WAIT, 'If-Match': tag };
  const { body, header } = await send<ContentItem>({ method: 'PATCH', path: pathOf(contentId), headers, body: edit, onProgress });
  return { item: body, tag: header('ETag') };
}

type Deletion = Pick<Request, 'token' | 'isLeaving'> & { tag: string };

/** @throws RequestFailed 412 if the item was edited after `tag` was read */
export async function deleteItem(contentId: number, { tag, ...options }: Deletion): Promise<void> {
  await send({ method: 'DELETE', path: pathOf(contentId), headers: { ...WAIT, 'If-Match': tag }, ...options });
}

/** @param reason undefined shows the item again */
export async function hideItem(contentId: number, reason: string | undefined): Promise<void> {
  const request = { path: `${pathOf(contentId)}/hidden`, headers: WAIT };
  await send(reason === undefined ? { ...request, method: 'DELETE' } : { ...request, method: 'PUT', body: { reason } });
}

/** @returns the user's own rating, 1 to 5; null without one */
export async function getRating(contentId: number, signal: AbortSignal): Promise<number | null> {
  return (await send<OwnRating>({ path: withKey(contentId, 'rating'), signal })).body.score;
}

/** @param score 1 to 5; null removes the rating */
export async function rateItem(contentId: number, score: number | null): Promise<void> {
  const path = withKey(contentId, 'rating');
  await send(score === null ? { method: 'DELETE', path } : { method: 'PUT', path, body: { score } });
}

export async function countDownload(contentId: number): Promise<void> {
  await send({ method: 'POST', path: withKey(contentId, 'downloads') });
}

/** The address has the key of the unlisted item that it opens. */
function keyFor(contentId: number): string {
  const { item, key } = parseView(location.search);
  return item === contentId && key !== undefined ? `key=${key}` : '';
}

function withKey(contentId: number, part: string): string {
  const key = keyFor(contentId);
  return `${pathOf(contentId)}/${part}${key && '?'}${key}`;
}

export function pathOf(contentId: number): string {
  return `api/content/${contentId}`;
}
