import { CHECKOUT } from '@ugc/local-stack/service-process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const FILE = 'packages/shared/src/contracts/operations-status.ts';

type Aliases = Map<string, ts.TypeAliasDeclaration>;
/** What the parameters of a generic type stand for. */
type Given = Map<string, ts.TypeNode>;

/** What `GET /status` and `index:status --item` return: an entry for each path and each type that it may have. */
export function statusEntries(): string[] {
  const source = ts.createSourceFile(FILE, readFileSync(join(CHECKOUT, FILE), 'utf8'), ts.ScriptTarget.Latest, true);
  const aliases: Aliases = new Map(source.statements.filter(ts.isTypeAliasDeclaration).map((alias) => [alias.name.text, alias]));
  return ['OperationsStatus', 'ItemReport'].flatMap((name) => {
    const alias = aliases.get(name);
    if (!alias) throw new Error(`${FILE} has no type ${name}`);
    return entriesOf(name, alias.type, { aliases, given: new Map() });
  });
}

function entriesOf(path: string, type: ts.TypeNode, names: { aliases: Aliases; given: Given }): string[] {
  const go = (place: string, node: ts.TypeNode): string[] => entriesOf(place, node, names);
  if (ts.isParenthesizedTypeNode(type)) return go(path, type.type);
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) return type.types.flatMap((part) => go(path, part));
  if (ts.isTypeOperatorNode(type)) return go(path, type.type);
  if (ts.isArrayTypeNode(type)) return go(`${path}[]`, type.elementType);
  if (ts.isTypeLiteralNode(type))
    return type.members.filter(ts.isPropertySignature).flatMap(({ name, questionToken, type: own }) => {
      const place = `${path}.${name.getText()}`;
      return [`${place}${questionToken ? ' is optional' : ''}`, ...(own ? go(place, own) : [])];
    });
  if (!ts.isTypeReferenceNode(type)) return [`${path}: ${type.getText()}`];
  return referenceEntries(path, type, names);
}

function referenceEntries(path: string, type: ts.TypeReferenceNode, { aliases, given }: { aliases: Aliases; given: Given }): string[] {
  const name = type.typeName.getText();
  const argument = given.get(name);
  if (argument) return entriesOf(path, argument, { aliases, given: new Map() });
  const alias = aliases.get(name);
  if (!alias) return [`${path}: ${type.getText()}`];
  const parameters = (alias.typeParameters ?? []).map(
    (parameter, n) => [parameter.name.text, type.typeArguments?.[n]] as [string, ts.TypeNode],
  );
  return entriesOf(path, alias.type, { aliases, given: new Map(parameters) });
}
