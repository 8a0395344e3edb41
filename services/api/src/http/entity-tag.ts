import type { StoredContent } from '@ugc/shared/contracts/content';
import { createHash } from 'node:crypto';

/**
 * An item's entity tag is `"E.N"`. E counts edits. N stands for everything else in the body: the revision, which grows with
 * downloads and ratings too, followed by 20 digits of a hash of the creator's name, which changes before the revision does.
 * Reading compares both, so that a cached copy is exact; editing compares E only, so that a download never makes an editor's copy stale.
 */
export function entityTag({
  edits,
  revision,
  creator_name: creatorName,
}: Pick<StoredContent, 'edits' | 'revision' | 'creator_name'>): string {
  // Digits only, so that processes of earlier releases take the tag in If-Match.
  const nameHash = createHash('sha256').update(creatorName).digest().readBigUInt64BE().toString().padStart(20, '0');
  return `"${edits}.${revision}${nameHash}"`;
}

/** RFC 9110, section 13.1.2: weak comparison, on any of the tags. */
export function isNotModified(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return splitTags(ifNoneMatch).some((candidate) => candidate.replace(/^W\//, '') === tag);
}

/**
 * RFC 9110, section 13.1.1: strong comparison, but of the edits only. An absent header demands nothing. Tags of earlier releases,
 * whose N was the revision alone, are compared in the same way.
 */
export function editsMatch(ifMatch: string, edits: number): boolean {
  if (['', '*'].includes(ifMatch.trim())) return true;
  return splitTags(ifMatch).some((candidate) => /^"(\d+)\.\d+"$/.exec(candidate)?.[1] === String(edits));
}

/** A thumbnail's entity tag is `"tE"`: every change of it is an edit of its item. */
export function thumbnailTag({ edits }: { edits: number }): string {
  return `"t${edits}"`;
}

/** The `edits` of the thumbnails that `If-None-Match` names, by weak comparison. */
export function knownThumbnails(ifNoneMatch: string): number[] | 'any' {
  if (ifNoneMatch.trim() === '*') return 'any';
  return splitTags(ifNoneMatch)
    .flatMap((tag) => /^(?:W\/)?"t(\d{1,15})"$/.exec(tag)?.[1] ?? [])
    .map(Number);
}

function splitTags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}
