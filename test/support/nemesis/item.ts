import type { ApiResponse } from '../http/client.ts';

/**
 * The possible states of an item that only one client changes: without a response, a change may have been stored or
 * not.
 */
export class Item {
  readonly contentId: number;
  versions = [1];
  deleted: 'no' | 'unknown' | 'yes' = 'no';
  hidden: 'no' | 'unknown' | 'yes' = 'no';
  /** Lists must not show it: it was hidden, the wait has ended, and nobody has begun to show it again. */
  isUnlisted = false;
  readonly name: string;

  constructor(contentId: number, name: string) {
    this.contentId = contentId;
    this.name = name;
  }

  moderated(to: 'no' | 'yes', response: ApiResponse | undefined): void {
    if (response?.status === 204) this.hidden = to;
    else if (isUnknown(response) && this.hidden !== to) this.hidden = 'unknown';
    if (to === 'yes' && response?.headers.has('preference-applied')) this.isUnlisted = true;
  }

  edited(version: number, response: ApiResponse | undefined): void {
    if (response?.status === 200) this.versions = [version];
    else if (isUnknown(response)) this.versions.push(version);
  }

  removed(response: ApiResponse | undefined): void {
    if (response?.status === 204) this.deleted = 'yes';
    else if (isUnknown(response)) this.deleted = 'unknown';
  }

  /** @returns a description of the fault if the stored item is in none of the possible states */
  faultOf({ version, deleted, hidden }: { version: number; deleted: boolean; hidden: boolean }): string | undefined {
    if (!deleted && this.hidden !== 'unknown' && hidden !== (this.hidden === 'yes'))
      return `item ${this.contentId} is ${hidden ? '' : 'not '}hidden, but the moderator has left it otherwise`;
    if (deleted) return this.deleted === 'no' ? `item ${this.contentId} is deleted, but the client did not delete it` : undefined;
    if (this.deleted === 'yes') return `item ${this.contentId} exists, but the client deleted it`;
    if (this.versions.includes(version)) return undefined;
    return `item ${this.contentId} has version ${version}; possible are ${this.versions.join(', ')}`;
  }
}

function isUnknown(response: ApiResponse | undefined): boolean {
  return response === undefined || (response.body?.detail ?? '').includes('It is unknown');
}
