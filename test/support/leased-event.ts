import type { LeasedEvent } from '../../shared/delivery/leased-event.ts';

/** An event as a worker holds it, with anything overridden. */
export function aLeasedEvent(columns: Partial<LeasedEvent> = {}): LeasedEvent {
  return {
    id: '1',
    eventKey: 'id:order-1',
    eventType: 'order.created',
    body: Buffer.from('{"orderId": 1}'),
    payloadText: null,
    payloadEncoding: 'json',
    contentType: null,
    headers: {},
    sourceKind: 'test',
    sourceTopic: null,
    sourceKey: null,
    sourceKeyBytes: null,
    consumerGroup: null,
    traceId: null,
    retryCount: 0,
    maxRetries: null,
    failureCount: 1,
    status: 'PROCESSING',
    ...columns,
  };
}
