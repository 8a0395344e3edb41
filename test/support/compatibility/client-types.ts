import ts from 'typescript';
import { join } from 'node:path';

const MODULES = { '@ugc/client': 'index', '@ugc/client/instantsearch': 'instantsearch' };

/**
 * What the client's modules export, an entry for each member and each type that it may have, such as `Upload.name: string`.
 * @param folder of the built package
 */
export function clientTypes(folder: string): string[] {
  const files = Object.entries(MODULES).map(([name, file]) => [name, join(folder, 'dist', `${file}.d.ts`)] as const);
  const options = { target: ts.ScriptTarget.ES2022, moduleResolution: ts.ModuleResolutionKind.Bundler, types: [] };
  const program = ts.createProgram(files.map(([, file]) => file), options); // prettier-ignore
  const checker = program.getTypeChecker();
  return files.flatMap(([name, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} is no module`);
    return checker.getExportsOfModule(module).flatMap((symbol) => {
      const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return (declared.declarations ?? []).flatMap((node) => entriesOf(`${name} ${symbol.name}`, node, checker));
    });
  });
}

function entriesOf(name: string, node: ts.Node, checker: ts.TypeChecker): string[] {
  if (ts.isTypeAliasDeclaration(node)) return typeEntries(`${name}${parametersOf(node)}`, node.type);
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return [`${name}: ${textOf(node)}`];
  // Also those of the classes that it extends.
  const members = checker.getTypeAtLocation(node).getProperties().flatMap(({ declarations }) => declarations ?? []); // prettier-ignore
  const constructors = ts.isClassDeclaration(node) ? node.members.filter((member) => ts.isConstructorDeclaration(member)) : [];
  return [
    `${name}${parametersOf(node)}: ${[...(node.heritageClauses ?? [])].map(textOf).join(' ')}`,
    ...[...constructors, ...members].flatMap((member) => memberEntries(name, member)),
  ];
}

function memberEntries(name: string, member: ts.Declaration): string[] {
  const modifiers = ts.getCombinedModifierFlags(member);
  if (modifiers & ts.ModifierFlags.Private || (ts.isPropertyDeclaration(member) && ts.isPrivateIdentifier(member.name))) return [];
  if ((ts.isPropertySignature(member) || ts.isPropertyDeclaration(member)) && member.type)
    return typeEntries(`${name}.${textOf(member.name)}${member.questionToken ? '?' : ''}`, member.type);
  return [`${name}.${textOf(member)}`];
}

function typeEntries(name: string, type: ts.TypeNode): string[] {
  if (ts.isParenthesizedTypeNode(type)) return typeEntries(name, type.type);
  if (ts.isTypeLiteralNode(type)) return [`${name}: {}`, ...type.members.flatMap((member) => memberEntries(name, member))];
  if (ts.isUnionTypeNode(type)) return type.types.flatMap((part) => typeEntries(name, part));
  if (ts.isTypeReferenceNode(type) && textOf(type.typeName) === 'Array' && type.typeArguments?.[0])
    return typeEntries(`${name}[]`, type.typeArguments[0]);
  if (ts.isArrayTypeNode(type)) return typeEntries(`${name}[]`, type.elementType);
  return [`${name}: ${textOf(type)}`];
}

function parametersOf({ typeParameters }: { typeParameters?: ts.NodeArray<ts.TypeParameterDeclaration> | undefined }): string {
  return typeParameters ? `<${typeParameters.map(textOf).join(', ')}>` : '';
}

/** @returns the source without comments and ends of lines */
function textOf(node: ts.Node): string {
  const printer = ts.createPrinter({ removeComments: true });
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replaceAll(/\s+/g, ' ');
}
