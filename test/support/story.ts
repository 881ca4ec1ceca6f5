import assert from 'node:assert/strict';
import { serveFunction } from './framework.ts';
import type { HttpTarget } from './http-target.ts';

const report = {
  eventType: 'order.created',
  eventId: 'order-1',
  payload: { name: 'Zoë', price: 1.1, text: 'a \\ b' },
  error: { message: 'timeout \\ of the payment', class: 'TimeoutError' },
  occurredAt: '2026-03-04T05:06:07.089Z',
  source: { topic: 'orders', keyBase64: '/2sx', consumerGroup: 'billing' },
  metadata: { nothing: null },
};

/** An event as the database shows it, without values that differ between runs. */
export type Story = { readonly event: unknown; readonly attempts: unknown; readonly sent: unknown };

/**
 * Lets the real functions capture a report twice, deliver it, and maintain the database. Returns what the API
 * shows, and what the target got.
 */
export async function tellStory(databaseUrl: string, target: HttpTarget): Promise<Story> {
  const env = {
    DATABASE_URL: databaseUrl,
    ROUTES: JSON.stringify([{ target: { kind: 'http', url: target.url } }]),
    LOCAL_CALLER: 'ann',
  };
  const names = ['capture', 'retry', 'replay', 'maintain'];
  const functions = await Promise.all(names.map((name) => serveFunction(name, env)));
  const [capture, retry, replay, maintain] = functions.map(({ url }) => url);
  const post = (url = '', body = '') => call(url, { method: 'POST', body });
  try {
    await post(capture, JSON.stringify(report));
    await post(capture, JSON.stringify({ ...report, error: { message: 'timeout again' } }));
    await post(retry);
    await post(maintain);
    const { items } = await call(`${replay}events`);
    assert.equal(items.length, 1);
    const { id } = items[0];
    return {
      event: withoutChance(await call(`${replay}events/${id}`)),
      attempts: withoutChance(await call(`${replay}events/${id}/attempts`)),
      sent: target.received.map(({ headers, body }) => [headers['content-type'], body.toString()]),
    };
  } finally {
    await Promise.all(functions.map(({ stop }) => stop()));
  }
}

async function call(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  const text = await response.text();
  assert.equal(response.status, 200, `${url}: ${text}`);
  return JSON.parse(text);
}

/** Replaces times, but for those that the report says, durations, and addresses. */
function withoutChance(value: unknown): unknown {
  const text = JSON.stringify(value, null, 1)
    .replaceAll(/"20\d\d-\d\d-\d\dT[\d:.]+(Z|\+00:00)"/g, (time) =>
      time.includes(report.occurredAt) ? time : '"time"',
    )
    .replaceAll(/(Ms": )\d+/g, '$1 0')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'target');
  return JSON.parse(text);
}
