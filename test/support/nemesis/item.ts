import type { Answer } from '../client.ts';

/** What a caller knows of an item that nobody else edits: after an answer that never came, more than one thing may be true. */
export class Item {
  readonly contentId: number;
  versions = [1];
  deleted: 'no' | 'perhaps' | 'yes' = 'no';

  constructor(contentId: number) {
    this.contentId = contentId;
  }

  edited(version: number, answer: Answer | undefined): void {
    if (answer?.status === 200) this.versions = [version];
    else if (isUnknown(answer)) this.versions.push(version);
  }

  removed(answer: Answer | undefined): void {
    if (answer?.status === 204) this.deleted = 'yes';
    else if (isUnknown(answer)) this.deleted = 'perhaps';
  }

  /** @returns what is wrong with what is stored */
  faultOf({ version, deleted }: { version: number; deleted: boolean }): string | undefined {
    if (deleted) return this.deleted === 'no' ? `item ${this.contentId} is gone, though nobody deleted it` : undefined;
    if (this.deleted === 'yes') return `item ${this.contentId} is still there, though it was deleted`;
    if (this.versions.includes(version)) return undefined;
    return `item ${this.contentId} has version ${version}, not one of ${this.versions.join(', ')}`;
  }
}

function isUnknown(answer: Answer | undefined): boolean {
  return answer === undefined || (answer.body?.detail ?? '').includes('not known');
}
