import ts from 'typescript';
import { type Edit, regexEdits } from './regex-edits.ts';

/** What a text becomes. Around the place that changes, it has so much that a reader knows what changes. */
export type Change = { edit: Edit; from: string; to: string };

const { SyntaxKind } = ts;

/** All changes of one place: each breaks one thing that the author meant. */
export function changesOf(node: ts.Node): Change[] {
  return ts.isSourceFile(node) ? [] : OPERATORS.flatMap((operator) => operator(node));
}

function replace(node: ts.Node, text: string, about: ts.Node = node): Change {
  return within(about, { start: node.getStart(), end: node.getEnd(), text });
}

function within(about: ts.Node, edit: Edit): Change {
  const from = about.getText();
  const [start, end] = [edit.start - about.getStart(), edit.end - about.getStart()];
  return { edit, from, to: from.slice(0, start) + edit.text + from.slice(end) };
}

const SHORT = 120;

/** The node around another one, unless it has too much text. */
function around(node: ts.Node): ts.Node {
  const parent = ts.isPrefixUnaryExpression(node.parent) ? node.parent.parent : node.parent;
  return parent.getText().length > SHORT ? node : parent;
}

/** A condition is always, or never, true. */
function conditions(node: ts.Node): Change[] {
  if (ts.isIfStatement(node)) return [replace(node.expression, 'true'), replace(node.expression, 'false')];
  if (ts.isConditionalExpression(node)) return [replace(node, node.whenTrue.getText()), replace(node, node.whenFalse.getText())];
  // Without its end, a loop would only hang.
  if (ts.isWhileStatement(node)) return [replace(node.expression, 'false')];
  return isResult(node) && isTruth(node) ? [replace(node, 'true'), replace(node, 'false')] : [];
}

/** What a function returns: it is replaced by both truths, so its operator needs no other change. */
function isResult(node: ts.Node): boolean {
  return (ts.isArrowFunction(node.parent) && node.parent.body === node) || ts.isReturnStatement(node.parent);
}

/** Whether both truths take its place, which is more than its opposite. */
function isAnswered(node: ts.Node): boolean {
  return isResult(node) || (ts.isIfStatement(node.parent) && node.parent.expression === node) || ts.isConditionalExpression(node.parent);
}

const EQUALITY = new Set<ts.SyntaxKind>([SyntaxKind.EqualsEqualsEqualsToken, SyntaxKind.ExclamationEqualsEqualsToken]);
const ORDER = new Set<ts.SyntaxKind>([
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
]);
const COMPARISONS = new Set<ts.SyntaxKind>([...EQUALITY, ...ORDER]);
const QUESTIONS = new Set(['test', 'has', 'includes', 'startsWith', 'endsWith', 'some', 'every']);

/** Whether it is a boolean, as far as its text tells. */
function isTruth(node: ts.Node): boolean {
  if (ts.isPrefixUnaryExpression(node)) return node.operator === SyntaxKind.ExclamationToken;
  if (ts.isBinaryExpression(node)) return COMPARISONS.has(node.operatorToken.kind);
  return ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && QUESTIONS.has(node.expression.name.text);
}

/** What a binary operator becomes: `one` and `other` stand for what it is between. */
const BINARY: Partial<Record<ts.SyntaxKind, string[]>> = {
  [SyntaxKind.AmpersandAmpersandToken]: ['one', 'other'],
  [SyntaxKind.BarBarToken]: ['one', 'other'],
  [SyntaxKind.QuestionQuestionToken]: ['one', 'other'],
  [SyntaxKind.LessThanToken]: ['<='],
  [SyntaxKind.LessThanEqualsToken]: ['<'],
  [SyntaxKind.GreaterThanToken]: ['>='],
  [SyntaxKind.GreaterThanEqualsToken]: ['>'],
  [SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
  [SyntaxKind.PlusToken]: ['-'],
  [SyntaxKind.MinusToken]: ['+'],
  [SyntaxKind.AsteriskToken]: ['/'],
  [SyntaxKind.SlashToken]: ['*'],
  [SyntaxKind.PercentToken]: ['*'],
  [SyntaxKind.AsteriskAsteriskToken]: ['*'],
  [SyntaxKind.PlusEqualsToken]: ['-='],
  [SyntaxKind.MinusEqualsToken]: ['+='],
};

function binary(node: ts.Node): Change[] {
  if (!ts.isBinaryExpression(node)) return [];
  const { left, right, operatorToken } = node;
  const sides: Record<string, ts.Node> = { one: left, other: right };
  if ((EQUALITY.has(operatorToken.kind) && isAnswered(node)) || isStep(node)) return [];
  return (BINARY[operatorToken.kind] ?? []).map((text) => {
    const side = sides[text];
    return side ? replace(node, side.getText()) : replace(operatorToken, text, node);
  });
}

/** Whether it changes what a loop asks: the other way, the loop would only hang, or fill the memory. */
function isStep(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== SyntaxKind.PlusEqualsToken) return false;
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent)
    if (ts.isForStatement(at) && at.condition?.getText().split(/\W/).includes(node.left.getText())) return true;
  return false;
}

function unary(node: ts.Node): Change[] {
  const isNot = ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken;
  return isNot && !isAnswered(node) ? [replace(node, node.operand.getText())] : [];
}

/** A fallback that is empty only satisfies the type checker. */
function isFallback(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBindingElement(parent) || ts.isParameter(parent)) return parent.initializer === node;
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === SyntaxKind.QuestionQuestionToken && parent.right === node;
}

/** A comparison changes its operator instead. */
function isCompared({ parent }: ts.Node): boolean {
  return ts.isBinaryExpression(parent) && COMPARISONS.has(parent.operatorToken.kind);
}

const LIMIT = /^(?:MAX|MIN)_|_MAX(?:_|$)/;

/** A limit is doubled, another number is one more, a text is empty, a boolean the other one. */
function literals(node: ts.Node): Change[] {
  if (node.kind === SyntaxKind.TrueKeyword) return [replace(node, 'false')];
  if (node.kind === SyntaxKind.FalseKeyword) return [replace(node, 'true')];
  if (ts.isNumericLiteral(node) && !isFallback(node) && !isCompared(node)) return [replace(node, otherNumber(node), around(node))];
  const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node);
  const isRaw = isText && ts.isTaggedTemplateExpression(node.parent);
  return isText && !isRaw && node.text !== '' && !ts.isPropertyAssignment(node.parent) ? [replace(node, "''", around(node))] : [];
}

function otherNumber(node: ts.NumericLiteral): string {
  const isLimit = ts.isVariableDeclaration(node.parent) && LIMIT.test(node.parent.name.getText());
  return isLimit ? `2 * ${node.text}` : String(Number(node.text) + 1);
}

/** The texts between the values of a template. */
function templates(node: ts.Node): Change[] {
  const isPiece = node.kind === SyntaxKind.TemplateHead || node.kind === SyntaxKind.TemplateMiddle || node.kind === SyntaxKind.TemplateTail;
  if (!isPiece || isRegex(node) || (node as ts.TemplateLiteralToken).text === '') return [];
  const [start, end] = [node.getStart() + 1, node.getEnd() - (node.kind === SyntaxKind.TemplateTail ? 1 : 2)];
  const template = node.kind === SyntaxKind.TemplateHead ? node.parent : node.parent.parent;
  return [within(template, { start, end, text: '' })];
}

/** A literal, or a part of one in `String.raw`. */
function regexes(node: ts.Node): Change[] {
  if (ts.isRegularExpressionLiteral(node)) return inside(node, node.getStart() + 1, node.text.lastIndexOf('/') - 1);
  if (!ts.isTaggedTemplateExpression(node)) return [];
  return inside(node, node.template.getStart() + 1, node.template.getText().length - 2);
}

function inside(about: ts.Node, start: number, length: number): Change[] {
  const text = about.getSourceFile().text.slice(start, start + length);
  return regexEdits(text).map((edit) => within(about, { ...edit, start: start + edit.start, end: start + edit.end }));
}

function isRegex(node: ts.Node): boolean {
  for (let at = node; !ts.isSourceFile(at); at = at.parent) if (ts.isTaggedTemplateExpression(at)) return true;
  return false;
}

/** An element of a list, or an argument of `new Set`, together with its comma, so that no hole is left. */
function elements(node: ts.Node): Change[] {
  if (!ts.isArrayLiteralExpression(node) || isCopy(node)) return [];
  return node.elements.map((element, at): Change => {
    const [next, before] = [node.elements[at + 1], node.elements[at - 1]];
    const start = !next && before ? before.getEnd() : element.getStart();
    const edit = { start, end: next ? next.getStart() : element.getEnd(), text: '' };
    return node.getText().length > SHORT ? { edit, from: element.getText(), to: '' } : within(node, edit);
  });
}

/** `[...text]` */
function isCopy({ elements: [only, ...more] }: ts.ArrayLiteralExpression): boolean {
  return more.length === 0 && only !== undefined && ts.isSpreadElement(only);
}

/** Methods whose result has the type of what they are called on. */
const WITHOUT = new Set(
  'filter slice trim trimStart trimEnd toLowerCase toUpperCase replace replaceAll toSorted toReversed concat'.split(' '),
);
const OTHER_METHODS: Record<string, string> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'includes',
  endsWith: 'includes',
};

function calls(node: ts.Node): Change[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { expression, name } = node.expression;
  const other = OTHER_METHODS[name.text];
  return [
    ...(WITHOUT.has(name.text) ? [replace(node, expression.getText())] : []),
    ...(other === undefined ? [] : [replace(name, other, node)]),
  ];
}

/** A set removes what is twice in a list. */
function sets(node: ts.Node): Change[] {
  if (!ts.isSpreadElement(node) || !ts.isNewExpression(node.expression) || node.expression.expression.getText() !== 'Set') return [];
  const [list] = node.expression.arguments ?? [];
  return list ? [replace(node.expression, list.getText(), node)] : [];
}

function statements(node: ts.Node): Change[] {
  if (ts.isExpressionStatement(node) && isStep(node.expression)) return [];
  return ts.isExpressionStatement(node) || ts.isBreakStatement(node) || ts.isContinueStatement(node) ? [replace(node, ';')] : [];
}

/** A function does nothing, or returns nothing. */
function bodies(node: ts.Node): Change[] {
  if (!(ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) || !node.body || !node.type) return [];
  const empty = emptyOf(node.type.getText());
  const isAll = node.body.statements.length === 1 && empty !== undefined && node.body.statements[0]?.getText() === `return ${empty};`;
  return empty === undefined || isAll ? [] : [{ ...replace(node.body, `{ return ${empty}; }`), from: '{ … }' }];
}

function emptyOf(type: string): string | undefined {
  if (type === 'void') return '';
  if (type.endsWith('[]')) return '[]';
  if (type.endsWith('| undefined')) return 'undefined';
  return { string: "''", number: '0', 'Promise<void>': '' }[type];
}

const OPERATORS = [conditions, binary, unary, literals, templates, regexes, elements, calls, sets, statements, bodies];
