/** Shorter names may be meant as they are: `tag` is no parameter. */
const MISTYPED_MIN = 5;

/** @returns what has almost the same name */
export function meantBy<T>(stem: string, byStem: Map<string, T>): T | undefined {
  if (stem.length < MISTYPED_MIN) return undefined;
  const [, meant] = [...byStem].find(([known]) => isOneEdit(stem, known)) ?? [];
  return meant;
}

/** Whether one letter is missing, too many, or another one, or two neighbours are exchanged. */
function isOneEdit(one: string, other: string): boolean {
  // Lengths first: a request may have thousands of names.
  if (Math.abs(one.length - other.length) > 1) return false;
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  let same = 0;
  while (same < short.length && long[same] === short[same]) same += 1;
  const [left, right] = [long.slice(same), short.slice(same)];
  if (long.length > short.length) return left.slice(1) === right;
  return (
    left !== '' && (left.slice(1) === right.slice(1) || (left[1] === right[0] && left[0] === right[1] && left.slice(2) === right.slice(2)))
  );
}

/** What all forms of a name have in common: letter case, separators and what follows a bracket, dot or escape do not count. */
export function stemOf(name: string): string {
  return name
    .trim()
    .replace(/^amp;|[[.%].*$/gs, '')
    .replace(/[_-]/g, '')
    .toLowerCase();
}
