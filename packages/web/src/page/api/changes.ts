import { pathOf, withKey, type ReadItem } from './content.ts';
import { sendLeaving } from './leave.ts';
import { send, type Request } from './request.ts';
import type { ContentItem, Edit, Upload } from './types.ts';

/** The response to a change waits until lists show it, for at most five seconds. */
export const WAIT = { Prefer: 'wait=5' };

type Progress = (share: number) => void;

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

type Deletion = Pick<Request, 'token'> & { tag: string; isLeaving: boolean };

/** @throws RequestFailed 412 if the item was edited after `tag` was read */
export async function deleteItem(contentId: number, { tag, token, isLeaving }: Deletion): Promise<void> {
  const request = { method: 'DELETE', path: pathOf(contentId), headers: { ...WAIT, 'If-Match': tag }, token } as const;
  await (isLeaving ? sendLeaving(request) : send(request));
}

/** @param reason undefined shows the item again */
export async function hideItem(contentId: number, reason: string | undefined): Promise<void> {
  const request = { path: `${pathOf(contentId)}/hidden`, headers: WAIT };
  await send(reason === undefined ? { ...request, method: 'DELETE' } : { ...request, method: 'PUT', body: { reason } });
}

/** @param score 1 to 5; null removes the rating */
export async function rateItem(contentId: number, score: number | null): Promise<void> {
  const path = withKey(contentId, 'rating');
  await send(score === null ? { method: 'DELETE', path } : { method: 'PUT', path, body: { score } });
}

export async function countDownload(contentId: number): Promise<void> {
  await send({ method: 'POST', path: withKey(contentId, 'downloads') });
}
