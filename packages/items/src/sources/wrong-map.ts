/** `path`: such as `creator.username`; empty for the map itself. */
export type MapProblem = { path: string; detail: string };

/** A map that is not valid. Each line says what is wrong with it, and what would be right. */
export class WrongMap extends Error {
  override readonly name = 'WrongMap';
  readonly lines: string[];

  /** @param name how messages call the map */
  constructor(name: string, problems: MapProblem[]) {
    const lines = [`${name} is not a valid map:`, ...problems.map(({ path, detail }) => `- ${path === '' ? 'it' : path} ${detail}`)];
    super(lines.join('\n'));
    this.lines = lines;
  }
}
