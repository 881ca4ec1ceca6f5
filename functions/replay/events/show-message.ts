import * as v from 'valibot';
import { findRoute } from '../../../shared/delivery/routes.ts';
import { restoreHeaders } from '../../../shared/delivery/targets/http-headers.ts';
import { ConflictError, ForbiddenError } from '../../../shared/errors.ts';
import { findMask } from '../../../shared/events/masking/mask-rules.ts';
import { maxHeaderBytes, readEvent } from '../../../shared/events/read-event.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { described, listOf, text } from '../../../shared/response-values.ts';
import { operation } from '../api/operation.ts';
import { EventParam } from '../api/read-request.ts';

/** As large as a message of a webhook or a topic gets. */
const maxBytes = 16 * 2 ** 20;

const MessageSchema = v.strictObject({
  id: text,
  headers: described(
    listOf(v.strictObject({ name: text, value: described(text, 'One character for each byte.') })),
    'As an HTTP target gets them, without those of a redelivery: `dlo-event-id` and `dlo-attempt`.',
  ),
  bodyBase64: described(text, 'The exact bytes.'),
});

export const showMessageOperation = operation(
  {
    operationId: 'showMessage',
    summary: 'Show the message of an event',
    description: 'A copy of the request that an HTTP target gets, to try it elsewhere. Changes nothing.',
    tag: 'events',
    params: { id: EventParam },
    responses: { 200: { description: 'The message.', schema: MessageSchema } },
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>, { params: { id } }) => {
    const event = await readEvent(deps.db, id, { max: maxBytes });
    if (findMask(deps, event).length > 0)
      throw new ForbiddenError(`Event ${id} has masked fields. Unmask it in the console.`);
    if (event.body.length < event.bytes || event.headerBytes > maxHeaderBytes)
      throw new ConflictError(`The message of event ${id} is too large to copy. Download it in the console.`);
    const target = findRoute(deps.routes, event)?.target;
    const allowed = target && 'allowHeaders' in target ? target.allowHeaders : [];
    const headers = restoreHeaders({ ...event, sourceKeyBytes: null }, allowed);
    return {
      body: {
        id,
        headers: headers.map(([name, value]) => ({ name, value })),
        bodyBase64: event.body.toString('base64'),
      },
    };
  },
);
