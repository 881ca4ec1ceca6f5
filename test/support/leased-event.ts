import type { LeasedEvent } from '../../shared/delivery/leased-event.ts';

/** The redelivery token of every event that `aLeasedEvent` makes. */
export const token = '0'.repeat(32);

/** An event as a worker holds it, with anything overridden. */
export function aLeasedEvent(columns: Partial<LeasedEvent> = {}): LeasedEvent {
  return {
    id: '1',
    capturedId: columns.id ?? '1',
    redelivery: `${columns.id ?? '1'}.${token}`,
    damaged: null,
    eventType: 'order.created',
    body: Buffer.from('{"orderId": 1}'),
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
    deliveryCount: 1,
    ...columns,
  };
}
