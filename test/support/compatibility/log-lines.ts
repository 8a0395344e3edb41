import ts from 'typescript';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LEVELS = new Set(['debug', 'info', 'warn', 'error', 'fatal']);
/** Such as `log`, `this.#log` and `deps.log`. */
const LOG = /(^|[.#])log$/;

/** The messages of the log of the services, and the fields of these lines, by the calls in the source. */
export function logEntries(): string[] {
  return eachCall(entriesOf);
}

/** What each line of the log has: an entry for the level of a message, and for each field with its place in the line. */
export function lineEntries(): string[] {
  return eachCall((call, constants) => {
    const [messages, fields] = [
      call.arguments.flatMap((given) => textsOf(given, constants)),
      call.arguments.flatMap((given) => pathsIn(given)),
    ];
    const level = ts.isPropertyAccessExpression(call.expression) ? [`level ${call.expression.name.text}`] : [];
    return (messages.length > 0 ? messages : ['…']).flatMap((message) =>
      [...level, ...fields.map((path) => `field ${path}`)].map((entry) => `${message}: ${entry}`),
    );
  });
}

function eachCall(entriesOfCall: (call: ts.CallExpression, constants: Map<string, ts.Expression>) => string[]): string[] {
  const files = globSync('{services/{api,indexer},packages/{items,shared}}/src/**/*.ts', { cwd: CHECKOUT });
  return files.flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(join(CHECKOUT, file), 'utf8'), ts.ScriptTarget.Latest, true);
    const [entries, constants]: [string[], Map<string, ts.Expression>] = [[], constantsOf(source)];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && isLog(node.expression)) entries.push(...entriesOfCall(node, constants));
      ts.forEachChild(node, visit);
    };
    visit(source);
    return entries;
  });
}

/** Also of objects that are spread, or chosen by a condition. @returns such as `problem.code` */
function pathsIn(node: ts.Expression, path = ''): string[] {
  if (ts.isParenthesizedExpression(node)) return pathsIn(node.expression, path);
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap((each) => pathsIn(each, path));
  if (ts.isBinaryExpression(node)) return pathsIn(node.right, path);
  if (!ts.isObjectLiteralExpression(node)) return [];
  return node.properties.flatMap((property) => {
    if (ts.isSpreadAssignment(property)) return pathsIn(property.expression, path);
    if (ts.isComputedPropertyName(property.name)) return [];
    const own = `${path}${property.name.getText()}`;
    return [own, ...(ts.isPropertyAssignment(property) ? pathsIn(property.initializer, `${own}.`) : [])];
  });
}

function isLog(callee: ts.Expression): boolean {
  if (ts.isElementAccessExpression(callee)) return LOG.test(callee.expression.getText());
  return ts.isPropertyAccessExpression(callee) && LEVELS.has(callee.name.text) && LOG.test(callee.expression.getText());
}

function entriesOf({ arguments: given }: ts.CallExpression, constants: Map<string, ts.Expression>): string[] {
  return given.flatMap((argument) => {
    if (ts.isObjectLiteralExpression(argument)) return argument.properties.flatMap(({ name }) => (name ? [`field ${name.getText()}`] : []));
    return textsOf(argument, constants).map((text) => `message ${text}`);
  });
}

/** `…` is what varies in a template. What a function returns is not known here. */
function textsOf(node: ts.Expression, constants: Map<string, ts.Expression>): string[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap((each) => textsOf(each, constants));
  if (ts.isTemplateExpression(node)) return [[node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…')]; // prettier-ignore
  const constant = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
  return constant && !ts.isIdentifier(constant) ? textsOf(constant, constants) : [];
}

function constantsOf(source: ts.SourceFile): Map<string, ts.Expression> {
  const constants = new Map<string, ts.Expression>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) constants.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return constants;
}
