import * as v from 'valibot';
import { restoreEvents } from '../../../shared/archive.ts';
import { InputError } from '../../../shared/errors.ts';
import { EventIdSchema } from '../../../shared/filter/filter-schema.ts';
import { log } from '../../../shared/log.ts';
import { check } from '../../../shared/validate.ts';
import { describeAnswer } from '../api/read-page.ts';
import type { ApiRequest, Operation } from '../api/resource.ts';
import type { ReplayDeps } from '../replay-deps.ts';
import { actEntries } from './read-act.ts';

const most = 1000;

const RestoreSchema = v.strictObject({
  ids: v.pipe(
    v.array(EventIdSchema, 'Give a list of event ids.'),
    v.minLength(1, 'Name at least one event.'),
    v.maxLength(most, `Name at most ${most} events at a time.`),
  ),
  reason: actEntries.reason,
});

/** `POST /acts/restore`: brings archived events back as they were, to be replayed or reopened like any other. */
export function restore({ db }: Pick<ReplayDeps, 'db'>): Operation {
  const handle = async ({ body, caller }: ApiRequest) => {
    const checked = check(RestoreSchema, body);
    if (!checked.ok) throw new InputError(checked.problems);
    const [done] = await restoreEvents(db, { ...checked.value, actor: caller.name });
    const { auditId, restored } = done ?? { auditId: '', restored: [] };
    log('INFO', `restore: events restored: ${restored.length}`, { act: 'restore', auditId });
    return { body: { auditId, restored } };
  };
  return { handle, description };
}

const description = {
  operationId: 'restoreEvents',
  summary: 'Restore archived events',
  description:
    'Brings them back from the archive as they were. Those that were captured anew meanwhile stay where they are.',
  tags: ['acts'],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['ids', 'reason'],
          properties: {
            ids: { type: 'array', minItems: 1, maxItems: most, items: { type: ['string', 'integer'] } },
            reason: { type: 'string', minLength: 1, maxLength: 1000, description: 'The audit keeps it.' },
          },
          additionalProperties: false,
        },
      },
    },
  },
  responses: describeAnswer('Which of them came back.', {
    type: 'object',
    required: ['auditId', 'restored'],
    properties: { auditId: { type: 'string' }, restored: { type: 'array', items: { type: 'string' } } },
    additionalProperties: false,
  }),
};
