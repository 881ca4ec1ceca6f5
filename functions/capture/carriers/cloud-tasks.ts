import type { Inbound, Message } from '../message.ts';
import { readOwnHeaders } from '../own-headers.ts';
import { findTraceId, toFact, toMomentOfSeconds } from '../text.ts';

/**
 * A task of Cloud Tasks whose target is capture. Its retry count is of the calls to us, and so no fact.
 * https://cloud.google.com/tasks/docs/creating-http-target-tasks#handler
 */
export function readCloudTask({ headers, body }: Inbound): Message[] | undefined {
  const queue = headers['x-cloudtasks-queuename'];
  const task = headers['x-cloudtasks-taskname'];
  if (!queue || !task) return undefined;
  const message: Message = {
    body,
    contentType: toFact(headers['content-type']),
    headers: readOwnHeaders(headers),
    facts: {
      eventKey: `cloudtasks:${queue}/${task}`,
      carrierId: task,
      sourceKind: 'cloud-tasks',
      sourceTopic: queue,
      traceId: findTraceId(headers.traceparent),
      occurredAt: toMomentOfSeconds(headers['x-cloudtasks-tasketa']),
    },
  };
  return [message];
}
