import type { ContentItem } from './generated/types.gen.ts';
import { ProblemError } from './problem-error.ts';
import { includedFor, isStoredEdit } from './stored-edit.ts';
import type { Change, Changes } from './ugc-client.ts';

type Item = { data: ContentItem; response: Response };
type Read = (include: ReturnType<typeof includedFor>) => Promise<Item>;
/** `onUnknown`: is called before the request is repeated, if it may have had an effect. */
type Write = (changes: Changes, ifMatch: string, onUnknown: () => void) => Promise<Item>;

/** Somebody else edits the item at the same time, again and again. */
const EDIT_TRIES_MAX = 10;

/** Reads the item, asks what to change, and writes it with `If-Match`; and again, if it has been edited meanwhile. */
export async function editItem(change: Change, read: Read, write: Write): Promise<Item> {
  for (let tries = 1; ; tries += 1) {
    const before = await read(includedFor({}));
    const changes = typeof change === 'function' ? await change(before.data) : change;
    if (!changes) return before;
    const edited = await editOnce(changes, before, read, write);
    if (!(edited instanceof ProblemError)) return edited;
    if (tries === EDIT_TRIES_MAX) throw edited;
  }
}

/** @returns the error of the precondition if the item is to be read again */
async function editOnce(changes: Changes, before: Item, read: Read, write: Write): Promise<Item | ProblemError> {
  let unknownTries = 0;
  try {
    return await write(changes, before.response.headers.get('ETag') ?? '*', () => (unknownTries += 1));
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 412)) throw error;
    if (unknownTries === 0) return error;
    const now = await read(includedFor(changes));
    if (isStoredEdit(changes, before.data, now.data)) return now;
    // Whether this edit is part of what somebody else has changed is not known, and a second one could undo that.
    throw error;
  }
}
