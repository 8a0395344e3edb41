/** What readers of JSON rely on: an entry for each path, and for the type of each value that is not null. */
export function shapeOf(value: unknown, path: string): string[] {
  if (value === null || value === undefined) return [path];
  if (Array.isArray(value)) return [`${path}: array`, ...value.flatMap((each: unknown) => shapeOf(each, `${path}[]`))];
  if (typeof value !== 'object') return [path, `${path}: ${typeof value}`];
  return [`${path}: object`, ...Object.entries(value).flatMap(([name, each]) => shapeOf(each, `${path}.${name}`))];
}
