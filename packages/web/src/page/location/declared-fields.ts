import type { DeclaredField } from '@ugc/shared/contracts/declared-field';

/** The fields that the operator has declared, in their order. The page sets them before it renders. */
export const declaredFields: DeclaredField[] = [];

/** @returns what a field, or a part of a group such as `build.game`, is called */
export function labelOf(path: string): string {
  const [name, part] = path.split('.');
  const label = declaredFields.find((field) => field.name === name)?.label ?? path;
  return part === undefined ? label : `${label}, ${part}`;
}

export function typeAt(path: string): string | undefined {
  const [name, part] = path.split('.');
  const field = declaredFields.find((each) => each.name === name);
  return part === undefined ? field?.type : field?.of?.[part];
}

const COUNTED = ['keyword', 'flag', 'version'];

/** The field, or the parts of a group, whose values are choices with counts. */
export function countedPaths({ name, type, facet, of = {} }: DeclaredField): string[] {
  if (type !== 'group') return facet ? [name] : [];
  return Object.entries(of).flatMap(([part, partType]) => (COUNTED.includes(partType) ? [`${name}.${part}`] : []));
}
