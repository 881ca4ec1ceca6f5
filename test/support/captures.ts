import type { Capture } from '../../functions/capture/message.ts';
import { parseBody } from '../../functions/capture/text.ts';

/** A capture as an envelope might tell it, with anything overridden. */
export function aCapture({ body = Buffer.from('{"orderId": 1}'), ...facts }: Partial<Capture> = {}): Capture {
  return {
    eventKey: 'id:order-1',
    redeliveredId: null,
    carrierId: null,
    eventType: 'order.created',
    eventId: 'order-1',
    body,
    isJson: parseBody(body) !== undefined,
    contentType: 'application/json',
    headers: {},
    errorReason: null,
    errorStacktrace: null,
    errorClass: null,
    sourceKind: 'test',
    sourceTopic: null,
    sourcePartition: null,
    sourceOffset: null,
    sourceKey: null,
    sourceKeyBase64: null,
    sourceSubscription: null,
    consumerGroup: null,
    sourceAttempts: null,
    traceId: null,
    occurredAt: null,
    metadata: null,
    ...facts,
  };
}
