import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { anyFilterInput } from '../../../support/any-filter.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';

type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string }[];
};
type Document = {
  readonly openapi: string;
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

  it('is of version 3.1 and contains all schemas that it refers to', () => {
    assert.match(document.openapi, /^3\.1\./);
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, ref = '']) =>
      ref.split('/'),
    );
    const find = (ref: string[]) =>
      ref.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    assert.deepEqual(
      refs.filter((ref) => find(ref) === undefined),
      [],
    );
    assert.ok(refs.length > 10);
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
