import { WAIT } from './changes.ts';
import { pathOf } from './content.ts';
import { send } from './request.ts';
import type { ReviewDecision } from './types.ts';

/** @param tag that of the item that the moderator has read @throws RequestFailed 412 if it was edited since */
export async function reviewItem(contentId: number, decision: ReviewDecision, tag: string): Promise<void> {
  await send({ method: 'PUT', path: `${pathOf(contentId)}/review`, headers: { ...WAIT, 'If-Match': tag }, body: decision });
}

/** The former key of an unlisted item ends. */
export async function renewKey(contentId: number): Promise<void> {
  await send({ method: 'POST', path: `${pathOf(contentId)}/key` });
}
