import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { capture } from '../../functions/capture/capture.ts';
import { consolePages } from '../../functions/console/console.ts';
import { maintain } from '../../functions/maintain/maintain.ts';
import { replay } from '../../functions/replay/replay.ts';
import { retry } from '../../functions/retry/retry.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { readConfig } from '../../shared/environment/config.ts';
import { operator } from './console.ts';
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

/** Serves all functions on a database in this process. Returns their addresses. */
export async function serveAll(databaseUrl: string, target: HttpTarget) {
  const ROUTES = JSON.stringify([{ target: { kind: 'http', url: target.url } }]);
  const config = readConfig({ DATABASE_URL: databaseUrl, ROUTES });
  const db = openDatabase(config.database, 'story');
  const identify = async () => operator;
  const deps = { ...config, ...config.retry, db, identify, watch: <T>(run: () => Promise<T>) => run() };
  const endpoints = {
    capture: capture({ ...deps, secrets: [], maxStatements: 4 }),
    retry: retry(deps),
    replay: replay(deps),
    console: consolePages({ ...deps, base: '/' }),
    maintain: maintain(deps),
  };
  const opened = Object.entries(endpoints).map(async ([name, endpoint]) => {
    const server = createServer(endpoint).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { name, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  });
  const served = await Promise.all(opened);
  const stop = async () => {
    for (const { server } of served) server.close().closeAllConnections();
    await db.close();
  };
  const urls = Object.fromEntries(served.map(({ name, url }) => [name, url]));
  return { urls: urls as Record<keyof typeof endpoints, string>, stop };
}

/**
 * Lets the functions capture a report twice, deliver it, and maintain the database. Returns what the API
 * shows, and what the target got.
 */
export async function tellStory(databaseUrl: string, target: HttpTarget): Promise<Story> {
  const { urls, stop } = await serveAll(databaseUrl, target);
  const { capture, retry, replay, maintain } = urls;
  const post = (url: string, body = '') => call(url, { method: 'POST', body });
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
    await stop();
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
