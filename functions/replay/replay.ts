import * as v from 'valibot';
import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import { InputError } from '../../shared/errors.ts';
import { log } from '../../shared/log.ts';
import { check } from '../../shared/validate.ts';
import { answerJson, type Endpoint, onlyPost } from '../endpoint.ts';
import { replayEvents } from './replay-events.ts';

const most = 1000;

const wholeNumber = v.pipe(v.number(), v.safeInteger('Give a whole number, and one above 2^53 as text.'));
const id = v.pipe(
  v.union([v.string(), wholeNumber], 'Give an id as text or as a whole number.'),
  v.transform(String),
  v.regex(/^[1-9]\d{0,18}$/, 'An id is a positive whole number.'),
  // As text, because a check is made of what is no number, too.
  v.check((text) => text.padStart(19, '0') <= '9223372036854775807', 'An id is less than 2^63.'),
);

const ReplaySchema = v.strictObject({
  ids: v.pipe(
    v.array(id, 'Give a list of event ids.'),
    v.minLength(1, 'Name at least one event.'),
    v.maxLength(most, `Name at most ${most} events at a time.`),
    v.transform((ids) => [...new Set(ids)]),
  ),
  includeSucceeded: v.optional(v.boolean('Use true or false.'), false),
});

/** `POST / {"ids": [...], "includeSucceeded"?: boolean}`: delivers those events now and answers for each. */
export function replay(deps: DeliveryDeps): Endpoint {
  return onlyPost(async (request, response) => {
    const checked = check(ReplaySchema, request.body);
    if (!checked.ok) throw new InputError(checked.problems);
    const done = await replayEvents(deps, checked.value, 'unknown');
    const { runId, progress } = done;
    const { length } = checked.value.ids;
    const message = `replayed ${length} ${length === 1 ? 'event' : 'events'}: ${progress.delivered} delivered`;
    log('INFO', message, { act: 'replay', runId, progress });
    answerJson(response, 200, done);
  });
}
