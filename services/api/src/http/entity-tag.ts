import type { Definitions } from '@ugc/fields/definition';
import { returnedPart } from '@ugc/fields/values';
import type { PublicDownloads } from '@ugc/items/changes/content-item';
import type { StoredContent } from '@ugc/shared/contracts/content';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { splitTags } from '@ugc/items/changes/edits-match';

const example = '"0.109476130958206348513"';

const IfMatch = z.string().meta({
  description: 'An entity tag, also a weak one. The change fails if the item has been edited since; downloads and ratings do not count.',
  example,
});

const IfNoneMatch = z.string().meta({ description: 'Entity tags of cached copies.', example });

export const IF_MATCH = { 'If-Match': IfMatch };
export const IF_NONE_MATCH = { 'If-None-Match': IfNoneMatch };
export const ETAG = {
  ETag: {
    description:
      '`"E.N"`: E is the number of edits; N changes with the rest of the body, such as downloads. `W/"E.N"` if the body is compressed.',
    example,
  },
};
export const NOT_MODIFIED = { description: 'The cached copy is current.' };

/** What of a body depends on no item. `declared`: the fields whose values it has, if it has any. */
type Rendering = { downloads: PublicDownloads; declared?: Definitions | undefined };

/**
 * An item's entity tag is `"E.N"`. E is the number of edits. N covers the rest of the body: the revision, which also
 * grows with downloads and ratings, and 20 digits of a hash of the creator's name, which changes before the revision. With
 * declared fields, or downloads by users, 10 digits of a hash of these follow, which change without any item.
 * Reads compare both, so that a cached copy is exact. Edits compare E only, so that downloads do not make them fail.
 */
export function entityTag(
  { edits, revision, creatorName }: Pick<StoredContent, 'edits' | 'revision' | 'creatorName'>,
  { downloads, declared }: Rendering,
): string {
  const nameHash = hash('sha256', creatorName, 'buffer').readBigUInt64BE().toString().padStart(20, '0');
  return `"${edits}.${revision}${nameHash}${declared || downloads !== 'all' ? renderingHash({ downloads, declared }) : ''}"`;
}

function renderingHash({ downloads, declared }: Rendering): string {
  const returned = declared && [...declared].map(([name, definition]) => [name, returnedPart(definition)]);
  return hash('sha256', JSON.stringify([downloads, returned]), 'buffer')
    .readUInt32BE()
    .toString()
    .padStart(10, '0');
}

/**
 * Weak comparison with any of the tags (RFC 9110, section 13.1.2). Koa's `fresh` would also compare If-Modified-Since,
 * which does not count beside If-None-Match (section 13.1.3).
 */
export function isNotModified(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return splitTags(ifNoneMatch).some((candidate) => candidate.replace(/^W\//, '') === tag);
}

export function asWeak(tag: string): string {
  return `W/${tag}`;
}

export function isKnownAsWeak(ifNoneMatch: string, tag: string): boolean {
  return splitTags(ifNoneMatch).includes(asWeak(tag));
}

/** A thumbnail's entity tag is `"tE"`: every change of a thumbnail is an edit of its item. */
export function thumbnailTag({ edits }: { edits: number }): string {
  return `"t${edits}"`;
}

/** The `edits` of the thumbnail tags in `If-None-Match`, for weak comparison. */
export function knownThumbnails(ifNoneMatch: string): number[] | 'any' {
  if (ifNoneMatch.trim() === '*') return 'any';
  return splitTags(ifNoneMatch)
    .flatMap((tag) => /^(?:W\/)?"t(\d{1,15})"$/.exec(tag)?.[1] ?? [])
    .map(Number);
}
