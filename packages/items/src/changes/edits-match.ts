import { Problem } from '../problems/problem.ts';

export function editedSince(): Problem {
  return new Problem(412, 'edited-since', 'The item has been edited since this entity tag was issued. Read it again first.');
}

/**
 * Compares the edits. A compressed response has a weak tag; a proxy that compresses makes a tag weak (nginx) or appends
 * the encoding (Apache), which does not change the edits.
 */
export function editsMatch(ifMatch: string, edits: number): boolean {
  if (['', '*'].includes(ifMatch.trim())) return true;
  return splitTags(ifMatch).some((candidate) => /^(?:W\/)?"(\d+)\.\d+(?:-+[a-z]+)?"$/.exec(candidate)?.[1] === String(edits));
}

export function splitTags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}
