import ts from 'typescript';

/**
 * The part of a source file that declares a function, a method, a class or a constant.
 * @param name of the innermost declaration, or `outer.inner` where several have the same name
 * @returns start and end of each declaration with this name
 */
export function rangesOf(source: string, name: string): [start: number, end: number][] {
  const declarations = parsed.get(source) ?? declarationsIn(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  parsed.set(source, declarations);
  return declarations.filter(({ path }) => path === name || path.endsWith(`.${name}`)).map(({ range }) => range);
}

const parsed = new Map<string, Declaration[]>();

type Declaration = { path: string; range: [number, number] };

function declarationsIn(node: ts.Node, outer = ''): Declaration[] {
  const declarations: Declaration[] = [];
  ts.forEachChild(node, (child) => {
    const name = nameOf(child);
    const path = name === undefined ? outer : outer === '' ? name : `${outer}.${name}`;
    if (name !== undefined) declarations.push({ path, range: [child.getStart(), child.getEnd()] });
    declarations.push(...declarationsIn(child, path));
  });
  return declarations;
}

export function nameOf(node: ts.Node): string | undefined {
  const isNamed = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isClassDeclaration(node) || isShared(node);
  return isNamed && node.name && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name)) ? node.name.text : undefined;
}

/** A function that is assigned to a constant, or a constant of the file; no local variable. */
function isShared(node: ts.Node): node is ts.VariableDeclaration {
  if (!ts.isVariableDeclaration(node)) return false;
  const isFunction = node.initializer !== undefined && (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer));
  return isFunction || ts.isSourceFile(node.parent.parent.parent);
}
