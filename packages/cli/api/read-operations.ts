import type { Field, Operation, Operations } from './operations.ts';

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

type Described = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
};

type Content = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };

/** The parts of an OpenAPI document that the command line reads. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Reads the operations of an OpenAPI document. */
export function readOperations(document: ApiDocument): Operations {
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : { ...document.components.schemas[name], ...schema };
  };
  return Object.fromEntries(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => [
        described.operationId,
        readOperation(described, { path, method: method as Operation['method'], resolve }),
      ]),
    ),
  );
}

type Located = Pick<Operation, 'method' | 'path'> & { readonly resolve: (schema: Schema) => Schema };

function readOperation(described: Described, { method, path, resolve }: Located): Operation {
  const { summary, description = '', parameters = [], requestBody, responses } = described;
  const read = (content?: Content) => resolve(content?.content?.['application/json']?.schema ?? {});
  const body = read(requestBody);
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const members = Object.entries(body.properties ?? {});
  return {
    method,
    path,
    summary,
    description,
    answers: read(success).required?.[0],
    fields: [
      ...parameters.map(({ name, in: at, required, description: text, schema }) =>
        readField(name, {
          in: at,
          isRequired: required,
          schema: resolve({ ...schema, ...(text && { description: text }) }),
        }),
      ),
      ...members.map(([name, schema]) =>
        readField(name, {
          in: 'body',
          isRequired: body.required?.includes(name) ?? false,
          schema: resolve(schema),
        }),
      ),
    ],
  };
}

type Stated = Pick<Field, 'in' | 'isRequired'> & { readonly schema: Schema };

function readField(name: string, { schema, ...stated }: Stated): Field {
  const { type, description = '', enum: values } = schema;
  return {
    name,
    ...stated,
    description,
    kind: kinds[type ?? ''] ?? 'json',
    ...(values && { values: values.map(String) }),
  };
}

const kinds: Readonly<Record<string, Field['kind']>> = {
  string: 'text',
  boolean: 'flag',
  integer: 'number',
  number: 'number',
  array: 'list',
};
