import type { Answer, ApiRequest, Description, Operation } from '../api/resource.ts';
import { type Act, type ActDeps, carryOutAct, previewAct } from './carry-out-act.ts';

/** How the OpenAPI document describes an act; `properties` are those that only this act has. */
type ActDescription = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly properties?: Description;
  readonly required?: readonly string[];
};

/** An act as a method of the API: does what `read` makes of the request, or tells what would come of it. */
export function actOperation(
  deps: ActDeps,
  description: ActDescription,
  read: (request: ApiRequest) => { readonly act: Act; readonly dryRun: boolean },
): Operation {
  const handle = async (request: ApiRequest): Promise<Answer> => {
    const { act, dryRun } = read(request);
    return { body: { dryRun, ...(dryRun ? await previewAct(deps, act) : await carryOutAct(deps, act)) } };
  };
  return { handle, description: describeAct(description), schemas: actSchemas };
}

function describeAct({ properties, required = [], ...description }: ActDescription) {
  const schema = {
    type: 'object',
    required: ['filter', 'reason', ...required],
    properties: {
      filter: { $ref: '#/components/schemas/Filter', minProperties: 1 },
      reason: { type: 'string', minLength: 1, maxLength: 1000, description: 'The audit keeps it.' },
      dryRun: {
        type: 'boolean',
        default: false,
        description: 'Tell what would come of it, and change nothing.',
      },
      ...properties,
    },
    additionalProperties: false,
  };
  const outcome = { schema: { $ref: '#/components/schemas/ActOutcome' } };
  return {
    ...description,
    tags: ['acts'],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 200: { description: 'What came of it.', content: { 'application/json': outcome } } },
  };
}

/** What the descriptions of acts refer to. */
const actSchemas: Description = {
  ActOutcome: {
    type: 'object',
    required: ['dryRun', 'changed', 'leased', 'remaining'],
    properties: {
      dryRun: { type: 'boolean' },
      auditId: { type: 'string', description: 'The act in the audit; none of a dry run.' },
      changed: { type: 'integer', minimum: 0, description: 'Events that were changed.' },
      leased: {
        type: 'integer',
        minimum: 0,
        description: 'Events that are being delivered right now, and were left alone.',
      },
      remaining: {
        type: 'integer',
        minimum: 0,
        description:
          'Events still to be changed, for want of time or because somebody held them: send it again for these.',
      },
    },
    additionalProperties: false,
  },
};
