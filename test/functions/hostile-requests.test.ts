import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maintain } from '../../functions/maintain/maintain.ts';
import { retry } from '../../functions/retry/retry.ts';
import { NotAuthorizedError } from '../../shared/errors.ts';
import { useApi } from '../support/api.ts';
import { useConsole } from '../support/console.ts';
import { useDatabase } from '../support/database.ts';
import { useFunction } from '../support/framework.ts';
import { openUpload } from '../support/raw-upload.ts';
import { retention } from '../support/retention.ts';
import { retryConfig } from '../support/routes.ts';
import { sample } from '../support/sample.ts';
import { sendRaw } from '../support/send-raw.ts';
import { useServer } from '../support/server.ts';

const paths = [
  '//',
  '///x',
  '//evil.example/x',
  '/\\evil',
  '/%',
  '/%ff',
  '/%zz/%00',
  '/events/%ff',
  '/events/%00',
  '/events//',
  '/events/1/%ff',
  '/events/9999999999999999999',
  '/events/-1/attempts',
  '/events/%2e%2e/runs',
  '/runs/%ff/events/%fe',
  '/runs/1e3',
  '/groups/%ff',
  '/groups/%00',
  '/targets/%ff',
  '/events?q=%ff',
  '/events?q=%ff',
  '/events?cursor=%00&limit=%ff',
  '/events?q=id%3A%00',
  '/events?%ff=%ff',
  '/events/selection?id=%00',
  '/events/1?unmask=%ff',
  '/runs?before=%ff',
  '/runs/new?q=%ff',
  '/audit?cursor=////',
  '/assets/%ff',
  '/metrics?%ff',
  `/${'x'.repeat(8000)}`,
  '/?__proto__[x]=1',
  '/events?q[]=1&q[]=2',
  '/groups?q=%00&state=%00',
  '/runs?before=%00',
  '/events/archive?q=type:%00&after=%00',
  '/audit?limit=%00',
  'http://[/',
  'http://evil.example:99999999/x',
  '*',
  '/#?',
];

const headerLists: readonly (readonly string[])[] = [
  ['Cookie: dlo-notice=%ff; dlo-notice=%; dlo-theme=%zz'],
  ['Cookie: =;;=; __Host-dlo-notice'],
  ['Accept-Language: \xff\xfe', 'User-Agent: \xff'],
  ['X-Forwarded-For: not an address', 'X-Forwarded-Proto: gopher, https', 'X-Forwarded-Host: [/'],
  ['Origin: \xff', 'Sec-Fetch-Site: \xff', 'Referer: %'],
  ['Authorization: Bearer \xff', 'X-Serverless-Authorization: Bearer a.b.c'],
  ['Traceparent: 00-00-00-00', 'Tracestate: ,,,', 'Traceparent: x'],
  ['Content-Type: \xff', 'Content-Encoding: br, \xff', 'Idempotency-Key: \xff'],
  ['If-None-Match: "\xff"', 'Range: bytes=9-1', 'Accept-Encoding: *;q=x'],
  [
    'dlo-event-id: \xff',
    'dlo-signature: \xff',
    'ce-id: %ff',
    'ce-specversion: %',
    'ce-type: %',
    'ce-source: %',
  ],
  ['Host: [/'],
  ['Host: \xff'],
];

describe('a hostile request line or header', () => {
  const database = useDatabase();
  const api = useApi(database);
  const pages = useConsole(database);
  const capture = useFunction('capture', () => ({ DATABASE_URL: database().url }));
  const jobs = useServer((request, response) =>
    maintain({ db: database().as('dlq_maintain'), routes: [], retry: retryConfig(), retention })(
      request,
      response,
    ),
  );
  const endpoints = {
    capture: { url: () => capture().url, methods: ['POST', 'GET'] },
    'the API': { url: () => api().url, methods: ['GET', 'POST', 'BREW'] },
    'the console': { url: () => pages().url, methods: ['GET', 'POST', 'OPTIONS'] },
    maintain: { url: jobs, methods: ['GET'] },
  };

  for (const [name, { url, methods }] of Object.entries(endpoints)) {
    it(`never makes an unexpected error of ${name}`, async () => {
      const requests = methods.flatMap((method) => [
        ...paths.map((path) => ({ line: `${method} ${path} HTTP/1.1`, headers: [] })),
        ...headerLists.map((headers) => ({ line: `${method} /events HTTP/1.1`, headers })),
      ]);
      for (const { line, headers } of sample(requests)) {
        const status = await sendRaw(url(), line, headers);
        assert.ok(status >= 200 && status < 500, `${status}: ${line} ${headers.join(', ')}`);
      }
    });
  }
});

describe('a body that is too large', () => {
  const database = useDatabase();
  const api = useApi(database);
  const pages = useConsole(database);
  const strangers = useConsole(database, {
    identify: () => Promise.reject(new NotAuthorizedError('There are no credentials.')),
  });
  const tick = useServer((request, response) =>
    retry({ db: database().as('dlq_retry'), routes: [], retry: retryConfig(), watch: (run) => run() })(
      request,
      response,
    ),
  );
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const json = { 'content-type': 'application/json' };
  const answer = async (url: string, headers: Record<string, string> = {}) => {
    const { socket, status } = await openUpload(url, { headers, bytes: 31 * 2 ** 20 });
    return status.finally(() => socket.destroy());
  };

  it('is rejected with 413 before it is read', async () => {
    assert.equal(await answer(`${pages().url}/theme`, form), 413);
    assert.equal(await answer(`${api().url}/events/discard`, json), 413);
    assert.equal(await answer(tick(), json), 413);
  });

  it('is not read by the console for a caller that it does not know', async () => {
    assert.equal(await answer(`${strangers().url}/theme`), 401);
  });
});
