/** @returns the name of a creator, with the id if another one has the same name; undefined if it is not known */
export function nameAmong(known: ReadonlyMap<number, string>, id: number): string | undefined {
  const name = known.get(id);
  return name !== undefined && [...known].some(([other, theirs]) => theirs === name && other !== id) ? `${name} #${id}` : name;
}
