import type { LeasedEvent } from '../../shared/events.ts';

/** An event as a worker holds it, with anything overridden. */
export function aLeasedEvent(columns: Partial<LeasedEvent> = {}): LeasedEvent {
  return {
    id: '1',
    event_key: 'id:order-1',
    event_type: 'order.created',
    body: Buffer.from('{"orderId": 1}'),
    payload_text: null,
    payload_encoding: 'json',
    content_type: null,
    headers: {},
    source_kind: 'test',
    source_topic: null,
    source_key: null,
    source_key_bytes: null,
    consumer_group: null,
    trace_id: null,
    retry_count: 0,
    max_retries: null,
    failure_count: 1,
    status: 'PROCESSING',
    was_lost: false,
    ...columns,
  };
}
