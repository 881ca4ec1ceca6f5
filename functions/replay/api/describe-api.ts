import { filterSchemas } from './filter-schemas.ts';
import type { Description, Operation, Resource } from './resource.ts';

/** The OpenAPI 3.1 document of an API, put together from what its resources say of themselves. */
export function describeApi(resources: readonly Resource[]): Description {
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
    paths: Object.fromEntries(resources.map((resource) => [resource.path, describePath(resource)])),
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
        ...Object.assign({}, ...resources.map(({ schemas }) => schemas)),
      },
    },
  };
}

function describePath({ get, post }: Resource): Description {
  return { ...(get && { get: describe(get) }), ...(post && { post: describe(post) }) };
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
