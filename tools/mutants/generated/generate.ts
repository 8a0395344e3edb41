import { parses } from '../parses.ts';
import ts from 'typescript';
import { nameOf } from '../function-range.ts';
import { changesOf } from './operators.ts';
import type { Edit } from './regex-edits.ts';

/**
 * A change of one place of a source. It is known by the function or constant that it is in and by the text that it changes,
 * so that other changes of the file leave it what it is.
 * @property nth of the same changes of the same text in this function, from 1
 * @property source of the complete file
 */
export type Generated = { within: string; from: string; to: string; nth: number; source: string };

/** @returns all mutants of a source in TypeScript that can be parsed, in the order of their places */
export function generateMutants(source: string): Generated[] {
  const known = new Map<string, number>();
  return nodesOf(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)).flatMap((node) =>
    changesOf(node).flatMap(({ edit, ...change }) => {
      const changed = apply(source, edit);
      if (!parses(changed)) return [];
      const [from, to] = [shorten(change.from), shorten(change.to)];
      const within = pathOf(node);
      const key = JSON.stringify([within, from, to]);
      const nth = (known.get(key) ?? 0) + 1;
      known.set(key, nth);
      return [{ within, from, to, nth, source: changed }];
    }),
  );
}

/** Without types and imports, which change nothing while the service runs. */
function nodesOf(node: ts.Node): ts.Node[] {
  if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return [];
  const inner: ts.Node[] = [];
  ts.forEachChild(node, (child) => void inner.push(...nodesOf(child)));
  return [node, ...inner];
}

function apply(source: string, { start, end, text }: Edit): string {
  return source.slice(0, start) + text + source.slice(end);
}

const SHORT = 200;

/** In one line, and without the middle of a long text. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= SHORT ? line : `${line.slice(0, SHORT / 2)} … ${line.slice(-SHORT / 2)}`;
}

function pathOf(node: ts.Node): string {
  const names: string[] = [];
  for (let at = node; !ts.isSourceFile(at); at = at.parent) names.unshift(...[nameOf(at) ?? []].flat());
  return names.join('.');
}
