import { refresh } from '../../shared/groups/refresh-groups.ts';
import type { TestDatabase } from './database.ts';
import { anEvent } from './factories.ts';

/** Ids of the events that pages are opened for. */
export type ConsoleEvents = {
  readonly pending: string;
  readonly failed: string;
  readonly binary: string;
  readonly delivered: string;
};

const orders = {
  consumer_group: 'billing',
  source_topic: 'orders',
  source_key: 'customer-7',
  error_class: 'TypeError',
  error_reason: "Cannot read properties of undefined (reading 'taxRate')",
  error_stacktrace:
    "TypeError: Cannot read properties of undefined (reading 'taxRate')\n    at charge (file:///app/src/charge.js:48:17)\n    at node:internal/main:1:2",
  headers: JSON.stringify({ 'x-tenant': 'acme' }),
  body: Buffer.from('{"orderId":"A-1","total":42.50,"customer":{"email":"ada@example.com"}}'),
  payload: '{"orderId":"A-1","total":42.50,"customer":{"email":"ada@example.com"}}',
  fingerprint: 'v1:0123456789abcdef',
};

/** Inserts events of every status, an attempt, an open breaker and a tick, and refreshes the error groups. */
export async function seedConsoleEvents(database: TestDatabase): Promise<ConsoleEvents> {
  const given = { ...orders, status: 'FAILED_PERMANENTLY', processed_at: new Date() };
  const failed = await anEvent(database, given);
  for (let i = 0; i < 3; i++) await anEvent(database, given);
  const pending = await anEvent(database, { ...orders, event_type: 'order.amended', retry_count: 2 });
  const binary = await anEvent(database, {
    event_type: 'sensor.reading',
    payload: '"AAEC"',
    body: Buffer.from([0, 1, 2, 255]),
    payload_encoding: 'base64',
    fingerprint: 'v1:fedcba9876543210',
  });
  const delivered = await anEvent(database, { ...orders, status: 'SUCCEEDED', processed_at: new Date() });
  await database.sql(
    `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_status, response_body)
    values ($1, 1, 'permanent', 'http://shop/orders', now(), 120, 422, 'no tax rate')`,
    [failed],
  );
  await database.sql(`insert into dlq_breakers (target, state, consecutive_failures, opened_at, cooldown_seconds, probe_after)
    values ('http://shop/orders', 'OPEN', 9, now() - interval '3 hours 30 minutes', 60, now() + interval '1 minute')`);
  await database.sql(`insert into dlq_runs (trigger, started_at, ended_at, stopped, tally, targets) values
    ('schedule', now() - interval '1 hour', now(), 'all done', '{"claimed": 3, "delivered": 2, "failedPermanently": 1}',
     '{"http://shop/orders": {"claimed": 3, "delivered": 2}}')`);
  await refresh(database.db);
  return { pending, failed, binary, delivered };
}
