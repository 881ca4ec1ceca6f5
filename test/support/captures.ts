import { toContent } from '../../shared/capture/content.ts';
import type { Capture } from '../../shared/capture/message.ts';
import { toPayload } from '../../shared/capture/payload.ts';

/** A capture with every fact, any of them overridden. */
export function aCapture({ body = Buffer.from('{"orderId": 1}'), ...facts }: Partial<Capture> = {}): Capture {
  return {
    eventKey: 'id:order-1',
    consumer: facts.consumerGroup ?? null,
    redelivery: null,
    attempt: null,
    deliveryId: null,
    origin: null,
    publication: null,
    failedAt: null,
    eventType: 'order.created',
    eventId: 'order-1',
    body,
    text: undefined,
    unread: null,
    payload: toPayload({ ...toContent(body), text: facts.text }, facts.headers ?? {}),
    contentType: 'application/json',
    headers: {},
    errorReason: null,
    errorStacktrace: null,
    errorClass: null,
    errorKind: null,
    retryAfter: null,
    maxRetries: null,
    priority: null,
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
    ignored: [],
    transport: 'test',
    format: null,
    ...facts,
  };
}
