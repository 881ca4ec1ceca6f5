import type { Answer, ApiRequest, Operation } from '../../api/resource.ts';
import type { ReplayDeps } from '../../replay-deps.ts';
import { createRun } from '../create-run.ts';
import { previewRun } from '../preview-run.ts';
import { readRunRequest } from '../run-request.ts';
import { showRun } from '../show-run.ts';
import { callForWork } from './call-for-work.ts';
import { previewSchemas } from './preview-schemas.ts';
import { runRequestSchema } from './run-request-schema.ts';
import { runSchemas } from './run-schemas.ts';

/** `POST /runs`: makes a run, or tells what it would be. */
export function createRunOperation(deps: ReplayDeps): Operation {
  const schemas = { ...runSchemas, ...previewSchemas, RunRequest: runRequestSchema };
  return { handle: (request) => create(deps, request), description, schemas };
}

async function create(deps: ReplayDeps, { body, text, headers, caller, now }: ApiRequest): Promise<Answer> {
  const key = headers['idempotency-key'];
  const request = readRunRequest({ raw: text, body, key: Array.isArray(key) ? key[0] : key, now });
  if (request.dryRun) return { body: await previewRun(deps, request) };
  const { run, isNew } = await createRun(deps, request, caller.name);
  if (isNew && run.waiting > 0) await callForWork(deps, run.id);
  const shown = await showRun(deps.db, run, now);
  return { status: isNew ? 201 : 200, headers: { location: `runs/${run.id}` }, body: shown };
}

const json = (description: string, ...names: string[]) => {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const schema = refs.length === 1 ? refs[0] : { oneOf: refs };
  return { description, content: { 'application/json': { schema } } };
};

const description = {
  operationId: 'createRun',
  summary: 'Replay events, or see what that would do',
  description:
    'The events that match now are the run: what fails later never joins. It is worked on afterwards; what comes of it is told by the run.',
  tags: ['runs'],
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      description: 'The same key with the same body is the run that was made first.',
    },
  ],
  requestBody: { required: true, ...json('', 'RunRequest') },
  responses: {
    200: json(
      'With "dryRun", what would come of it; else the run that this key has already.',
      'RunPreview',
      'RunDetail',
    ),
    201: json('The run.', 'RunDetail'),
  },
};
