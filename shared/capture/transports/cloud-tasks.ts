import { toDateFromSeconds, toText } from '../column-values.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { readMessageHeaders } from '../message-headers.ts';
import { findTraceId } from '../trace-id.ts';

/**
 * A Cloud Tasks task whose target is capture. Its retry count is no fact: it counts requests to capture.
 * https://cloud.google.com/tasks/docs/creating-http-target-tasks#handler
 */
export function readCloudTask({ headers, body, json }: ParsedInbound): Message[] | undefined {
  const queue = headers['x-cloudtasks-queuename'];
  const task = headers['x-cloudtasks-taskname'];
  if (!queue || !task) return undefined;
  const message: Message = {
    body,
    json,
    contentType: toText(headers['content-type']),
    headers: readMessageHeaders(headers),
    facts: {
      eventKey: `cloudtasks:${queue}/${task}`,
      deliveryId: task,
      sourceKind: 'cloud-tasks',
      sourceTopic: queue,
      traceId: findTraceId(headers.traceparent),
      occurredAt: toDateFromSeconds(headers['x-cloudtasks-tasketa']),
    },
  };
  return [message];
}
