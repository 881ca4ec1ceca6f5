import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');

/** A value of a row as TypeScript declares it; `any` may be JSON of any form. */
export type Declared = 'text' | 'number' | 'boolean' | 'time' | 'bytes' | 'list' | 'any';

/** The row type of a statement: its fields with their types, those that may be absent, too. */
export type RowType = {
  readonly name: string;
  readonly at: string;
  readonly fields: ReadonlyMap<string, { readonly type: Declared; readonly isOptional: boolean }>;
};

/** Reads the row type of each `statement<Params, Row>(name, ...)` in these files; `never` has no fields. */
export function readRowTypes(files: readonly string[]): RowType[] {
  const program = ts.createProgram(
    files.map((file) => path.join(root, file)),
    options,
    openHost(),
  );
  const checker = program.getTypeChecker();
  const found: RowType[] = [];
  for (const file of files) {
    const source = program.getSourceFile(path.join(root, file));
    const visit = (node: ts.Node): void => {
      const row = ts.isCallExpression(node) ? rowOf(node) : undefined;
      if (row) {
        const type = checker.getTypeFromTypeNode(row.type);
        // A record has any fields.
        const isRecord = checker.getIndexInfosOfType(type).length > 0;
        if (!isRecord) found.push({ name: row.name, at: file, fields: listFields(type, checker) });
      }
      ts.forEachChild(node, visit);
    };
    if (source) visit(source);
  }
  return found;
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  types: [],
};

/** Follows imports of files and of valibot alone: rows have no type of another package, except for Buffer. */
function openHost(): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) =>
      /^\.|^valibot$/.test(text)
        ? ts.resolveModuleName(text, from, options, host)
        : { resolvedModule: undefined },
    );
  return host;
}

function rowOf({ expression, typeArguments, arguments: [name] }: ts.CallExpression) {
  const type = typeArguments?.[1];
  const isStatement = /^(statement|filteredStatement)$/.test(expression.getText());
  return isStatement && type && name && ts.isStringLiteral(name) ? { type, name: name.text } : undefined;
}

function listFields(row: ts.Type, checker: ts.TypeChecker): RowType['fields'] {
  // A row of one form or another has the fields of both.
  if (row.isUnion()) return new Map(row.types.flatMap((each) => [...listFields(each, checker)]));
  return new Map(
    checker.getPropertiesOfType(row).map((property) => {
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      return [property.name, { type: classify(checker.getTypeOfSymbol(property), checker), isOptional }];
    }),
  );
}

function classify(type: ts.Type, checker: ts.TypeChecker): Declared {
  const parts = checker.getNonNullableType(type).isUnion() ? (type as ts.UnionType).types : [type];
  const known = parts.filter(({ flags }) => (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) === 0);
  const kinds = new Set(known.map((each) => classifyOne(each, checker)));
  return kinds.size === 1 ? ([...kinds][0] ?? 'any') : 'any';
}

function classifyOne(type: ts.Type, checker: ts.TypeChecker): Declared {
  if (type.flags & ts.TypeFlags.StringLike) return 'text';
  if (type.flags & ts.TypeFlags.NumberLike) return 'number';
  if (type.flags & ts.TypeFlags.BooleanLike) return 'boolean';
  if (checker.isArrayType(type) || checker.isTupleType(type)) return 'list';
  const name = (type.getSymbol() ?? type.aliasSymbol)?.name;
  return name === 'Date' ? 'time' : name === 'Buffer' ? 'bytes' : 'any';
}
