/** A name of a query parameter as the service knows it. */
type KnownName = { name: string; isRepeatable: boolean };

/** The parameter that is meant. `problem` says how its name must be written. */
type WrittenName = { parameter: string; problem?: string };

/** @returns undefined for a name that has nothing to do with a known one */
export type ReadName = (written: string) => WrittenName | undefined;

/**
 * Many clients add `[]` to the name of a list, so `tags[]` is `tags`. Other forms of a known name, such as `tags[0]`,
 * `Tags` or `prompt[]`, are an error: if they were ignored, the response would contain what was not asked for.
 */
export function nameReader(known: KnownName[]): ReadName {
  const byStem = new Map(known.map((each) => [stemOf(each.name), each]));
  const exact = new Map(known.map(({ name }) => [name, { parameter: name }]));
  return (written) => exact.get(written) ?? readOtherForm(written, byStem.get(stemOf(written)));
}

function readOtherForm(written: string, known: KnownName | undefined): WrittenName | undefined {
  if (!known) return undefined;
  const { name, isRepeatable } = known;
  if (isRepeatable && written === `${name}[]`) return { parameter: name };
  return { parameter: name, problem: `must be written as ${name}${isRepeatable ? ` or ${name}[]` : ''}` };
}

/** What all forms of a name have in common: letter case, separators and what follows a bracket, dot or escape do not count. */
function stemOf(name: string): string {
  return name
    .trim()
    .replace(/^amp;|[[.%].*$/gs, '')
    .replace(/[_-]/g, '')
    .toLowerCase();
}
