import { filterSchemas } from './filter-schemas.ts';
import type { Description, Operation, Resources } from './resource.ts';

/** The OpenAPI 3.1 document of an API, put together from what its operations say of themselves. */
export async function describeApi(resources: Resources): Promise<Description> {
  const paths: Record<string, Description> = {};
  const schemas: Description[] = [];
  for (const [path, { get, post }] of Object.entries(resources)) {
    const operations = { ...(get && { get: await get() }), ...(post && { post: await post() }) };
    schemas.push(...Object.values(operations).map((each) => each.schemas ?? {}));
    paths[path] = Object.fromEntries(
      Object.entries(operations).map(([name, each]) => [name, describe(each)]),
    );
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Dead Letter Office: replay',
      version: '1',
      description:
        'Look at failed events, and act on many of them at once. Every act is audited with who and why.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '.' }],
    security: [{ idToken: [] }],
    paths,
    components: {
      securitySchemes: {
        idToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A Google ID token for this service.',
        },
      },
      responses: { Problem: problemResponse },
      schemas: {
        Problem: problem,
        ...filterSchemas,
        ...Object.assign({}, ...schemas),
      },
    },
  };
}

function describe({ description }: Operation): Description {
  return {
    ...description,
    responses: { ...description.responses, default: { $ref: '#/components/responses/Problem' } },
  };
}

const problem = {
  type: 'object',
  description: 'What went wrong, and what to do about it (RFC 9457).',
  required: ['status', 'title', 'detail'],
  properties: {
    status: { type: 'integer' },
    title: { type: 'string' },
    detail: { type: 'string' },
    code: { type: 'string', description: 'Stays the same whatever the words are.' },
    problems: {
      type: 'array',
      description: 'Everything that is wrong with the request.',
      items: {
        type: 'object',
        required: ['field', 'remedy'],
        properties: { field: { type: 'string' }, value: {}, remedy: { type: 'string' } },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

const problemResponse = {
  description: 'Nothing was changed, and this is why.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};
