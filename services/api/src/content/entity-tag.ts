/**
 * An item's entity tag is `"E.R"`: E counts edits, R is the revision, which grows with downloads and ratings too. Reading compares
 * both, so that a cached copy is exact; editing compares E only, so that a download never makes an editor's copy stale.
 */
export function entityTag({ edits, revision }: { edits: number; revision: number }): string {
  return `"${edits}.${revision}"`;
}

/** RFC 9110, section 13.1.2: weak comparison, on any of the tags. */
export function isNotModified(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return splitTags(ifNoneMatch).some((candidate) => candidate.replace(/^W\//, '') === tag);
}

/** RFC 9110, section 13.1.1: strong comparison, but of the edits only. An absent header demands nothing. */
export function editsMatch(ifMatch: string, edits: number): boolean {
  if (['', '*'].includes(ifMatch.trim())) return true;
  return splitTags(ifMatch).some((candidate) => /^"(\d+)\.\d+"$/.exec(candidate)?.[1] === String(edits));
}

function splitTags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}
