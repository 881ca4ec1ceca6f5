import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CallFunction } from '../../local/functions.ts';
import { type Listening, listenOnLoopback } from '../../local/http/listen.ts';
import { routeRequests, type Service } from '../../local/http/route-requests.ts';
import { sendRaw } from '../support/send-raw.ts';

describe('the router of npm start', () => {
  const service: Service = {};
  const call: CallFunction = (name, request, response) => response.end(`${name} ${request.url}`);
  let server: Listening;

  before(async () => {
    server = await listenOnLoopback(0, routeRequests(service));
  });
  after(() => server.close());
  const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);

  it('answers 503 with retry-after during startup', async () => {
    for (const path of ['/retry', '/capture', '/healthz']) {
      const answer = await get(path);
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.match(await answer.text(), /is starting\. Send the same request again/);
    }
  });

  it('removes the first path segment and leaves the rest unchanged', async () => {
    service.call = call;
    for (const [path, seen] of [
      ['/capture', 'capture /'],
      ['/capture?a=1', 'capture /?a=1'],
      ['/retry/x%2Fy?z=%20', 'retry /x%2Fy?z=%20'],
      ['/capture//x', 'capture //x'],
    ] as const) {
      assert.equal(await (await get(path)).text(), seen);
    }
  });

  for (const [what, headers] of [
    ['under a foreign host name', { host: 'evil.example' }],
    ['under a host name that begins like this machine', { host: 'localhost.evil.example' }],
    ['from a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a page of another port', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
    ['with a foreign Origin', { origin: 'http://evil.example' }],
    [
      'with a foreign Origin that a browser calls the same',
      { 'sec-fetch-site': 'same-origin', origin: 'http://evil.example' },
    ],
    ['from a page without an origin', { origin: 'null' }],
  ] as const) {
    it(`rejects a request ${what}, whatever the path`, async () => {
      service.call = call;
      for (const path of [
        '/capture',
        '/retry',
        '/replay',
        '/maintain',
        '/maintain/metrics',
        '/console',
        '/healthz',
        '/',
      ]) {
        const given = Object.entries({ host: 'localhost', ...headers }).map(
          ([name, value]) => `${name}: ${value}`,
        );
        const url = `http://127.0.0.1:${server.port}`;
        assert.equal(await sendRaw(url, `POST ${path} HTTP/1.1`, given), 401, path);
      }
    });
  }

  it('lists the known paths in the answer to an unknown path', async () => {
    service.call = call;
    for (const path of ['/captur', '/healthz/x', '/toString', '//capture']) {
      const answer = await get(path);
      assert.equal(answer.status, 404);
      const { paths } = (await answer.json()) as { paths: string[] };
      assert.deepEqual(paths.slice(0, 4), ['/', '/healthz', '/capture', '/retry']);
    }
  });

  it('leads a browser from its address to the console', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/`, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/console/']);
  });

  it('reports why it is unhealthy', async () => {
    service.call = call;
    service.checkHealth = async () => ['the database does not answer'];
    const answer = await get('/healthz');
    assert.equal(answer.status, 503);
    assert.deepEqual(Object(await answer.json()).reasons, ['the database does not answer']);
  });
});
