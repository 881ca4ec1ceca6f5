import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { anyFilterInput } from '../../../support/any-filter.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';

type Schema = { readonly $ref?: string; readonly description?: string; readonly properties?: Schemas };
type Schemas = Readonly<Record<string, Schema>>;
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; schema: Schema }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
};
type Document = {
  readonly openapi: string;
  readonly components: { readonly schemas: Schemas };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

describe('the OpenAPI document', () => {
  const api = useApi(useDatabase());
  let document: Document;
  before(async () => {
    document = (await (await fetch(`${api().url}/openapi.json`)).json()) as Document;
  });
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, ...operation })),
    );

  it('is of version 3.1 and refers to exactly the schemas that it names', () => {
    assert.match(document.openapi, /^3\.1\./);
    const refs = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    const referred = new Set([...refs].map(([, name]) => name));
    assert.deepEqual([...referred].sort(), Object.keys(document.components.schemas).sort());
  });

  it('describes each parameter, and each member of a body', () => {
    const silent = operations().flatMap(({ operationId, parameters = [], requestBody }) => {
      const { $ref = '', properties } = requestBody?.content['application/json'].schema ?? {};
      const members = properties ?? document.components.schemas[$ref.split('/').at(-1) ?? '']?.properties;
      const parts = parameters.map(({ schema, ...parameter }) => ({ ...schema, ...parameter }));
      return [...parts, ...Object.entries(members ?? {}).map(([name, member]) => ({ name, ...member }))]
        .filter((schema) => !['description', '$ref', 'enum', 'oneOf'].some((key) => key in schema))
        .map(({ name }) => `${operationId}: ${name}`);
    });
    assert.deepEqual(silent, []);
  });

  it('has a distinct operationId for each operation', () => {
    const names = operations().map(({ operationId }) => operationId);
    assert.equal(new Set(names).size, names.length);
  });

  it('describes the parameters of each path', () => {
    for (const { path, parameters = [] } of operations()) {
      const described = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      assert.deepEqual(
        described,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      );
    }
  });

  it('allows every filter that the API accepts', () => {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(document, 'api');
    const validate = ajv.compile({ $ref: 'api#/components/schemas/Filter' });
    fc.assert(
      fc.property(anyFilterInput, (input) => {
        assert.ok(validate(input), JSON.stringify([input, validate.errors]));
      }),
    );
  });
});
