// Events of a chosen size that look like real ones: half-compressible JSON, distinct keys, Kafka coordinates.
import { createHash, randomBytes, randomUUID } from 'node:crypto';

export const sizes = {
  'payload 200 B': { payload: 200, stack: 0, rows: 4000 },
  'payload 600 B': { payload: 600, stack: 0, rows: 4000 },
  '1 kB + stack 1.5 kB': { payload: 1000, stack: 1500, rows: 3000 },
  '10 kB': { payload: 10_000, stack: 0, rows: 1000 },
};
export type Size = keyof typeof sizes;
export type Event = ReturnType<typeof createEvent>;

export const LANES = 8;

const made = new Map<string, Event[]>();

/** The same events for every layout and round: tables are emptied in between. */
export function eventsOf(size: Size, scattered = false): Event[] {
  const name = `${size} ${scattered}`;
  if (!made.has(name)) made.set(name, createEvents(size, scattered));
  return made.get(name) as Event[];
}

function createEvents(size: Size, scattered = false): Event[] {
  const base = Date.now() - 3_600_000;
  return Array.from({ length: sizes[size].rows }, (_, n) =>
    createEvent(size, n, new Date(base + (scattered ? Math.random() * 3_000_000 : n)).toISOString()),
  );
}

function createEvent(size: Size, n: number, retryAfter: string) {
  const payload = { orderId: randomUUID(), items: fill(sizes[size].payload - 70) };
  const key = randomUUID();
  return {
    event_type: `order.state-${n % LANES}`,
    lane: n % LANES,
    payload,
    body: Buffer.from(JSON.stringify(payload)),
    error_reason: `hydration failed: 503 from http://catalog.internal/v2/products/${n} after 3 tries`,
    error_stacktrace: sizes[size].stack ? stackTrace(sizes[size].stack) : null,
    retry_after: retryAfter,
    event_key: createHash('sha256').update(key).digest('hex'),
    event_hash: createHash('md5').update(key).digest('hex'),
    event_id: key,
    payload_encoding: 'json',
    content_type: 'application/json',
    headers: {
      traceparent: `00-${hex(16)}-${hex(8)}-01`,
      producer: 'order-service',
      schema: 'orders.v3',
      region: 'europe-west1',
    },
    source_kind: 'kafka',
    source_topic: 'orders.prod.state-changes',
    source_partition: n % 12,
    source_offset: 71_000_000 + n,
    source_key: `customer-${n % 700}`,
    consumer_group: 'order-hydrator',
    source_attempts: 3,
    trace_id: hex(16),
    metadata: { span_id: hex(8) },
    occurred_at: retryAfter,
    first_failure_at: retryAfter,
    last_failure_at: retryAfter,
    error_class: 'HydrationException',
    failure_kind: 'transient',
    fingerprint: hex(16),
  };
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** A word that repeats and a value that does not, as in real payloads: compresses to about a half. */
function fill(length: number): string[] {
  const items: string[] = [];
  for (let used = 0; used < length; used += 40)
    items.push(`quantity=1;warehouse=${randomBytes(8).toString('base64')}`);
  return items;
}

function stackTrace(length: number): string {
  let text = 'com.shop.HydrationException: 503';
  while (text.length < length)
    text += `\n\tat com.shop.orders.${randomBytes(6).toString('base64url')}.call(Hydrator.java:${text.length})`;
  return text;
}
