import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';

describe('console security', () => {
  const database = useDatabase();
  const served = useConsole(database);
  beforeEach(() => {
    served().caller = operator;
  });
  const get = (path: string) => fetch(served().url + path, { redirect: 'manual' });
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(served().url + path, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(fields),
      headers: { 'sec-fetch-site': 'same-origin', cookie: 'dlo-csrf=token', ...headers },
    });

  it('responses forbid inline code, framing and caching', async () => {
    const { headers } = await get('/');

    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';.* frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.deepEqual(
      [headers.get('cache-control'), headers.get('x-content-type-options'), headers.get('referrer-policy')],
      ['no-store', 'nosniff', 'same-origin'],
    );
  });

  it('assets are cached forever under names with a content hash', async () => {
    const page = await (await get('/')).text();
    for (const [, path] of page.matchAll(/"(assets\/[^"]+)"/g)) {
      const { status, headers } = await get(`/${path}`);

      assert.deepEqual([status, headers.get('cache-control')], [200, 'public, max-age=31536000, immutable']);
    }
    assert.equal((await get('/assets/console.css')).status, 404);
  });

  it('an unknown path answers 404 with an error page', async () => {
    const response = await get('/nothing');

    assert.equal(response.status, 404);
    assert.match(await response.text(), /Page not found/);
  });

  // No group has this name: an accepted form is answered with 404, and changes nothing.
  const path = '/groups/none';
  const form = { csrf: 'token', note: 'x' };

  it('a form from a page of the console is accepted', async () => {
    assert.equal((await post(path, form)).status, 404);
  });

  it('the Origin header decides without Sec-Fetch-Site', async () => {
    const origins = [new URL(served().url).origin, 'https://evil.example', 'null', undefined];
    const statuses = origins.map(async (origin) => {
      const headers = { cookie: 'dlo-csrf=token', ...(origin && { origin }) };
      const body = new URLSearchParams(form);
      return (await fetch(`${served().url}${path}`, { method: 'POST', redirect: 'manual', body, headers }))
        .status;
    });

    assert.deepEqual(await Promise.all(statuses), [404, 403, 403, 403]);
  });

  it('the Origin header is compared whenever it is there', async () => {
    const host = new URL(served().url).host;
    for (const [origin, status] of [
      [`http://${host}`, 404],
      // `gcloud run services proxy`, which calls the console by its own host name.
      ['http://localhost:8080', 404],
      ['http://[::1]:8080', 404],
      ['http://evil.example:8080', 403],
      ['http://localhost.evil.example', 403],
      ['http://127.0.0.1.evil.example', 403],
      [`http://${host}.evil.example`, 403],
      ['null', 403],
      ['', 403],
    ] as const) {
      assert.equal((await post(path, form, { origin })).status, status, origin);
    }
  });

  for (const [what, headers] of [
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['from the address bar', { 'sec-fetch-site': 'none' }],
    ['without its cookie', { cookie: '' }],
    ['with the token of another browser', { cookie: 'dlo-csrf=other' }],
  ] as const) {
    it(`a form ${what} is rejected`, async () => {
      assert.equal((await post(path, form, headers)).status, 403);
    });
  }

  it('a form without a token is rejected, also with the cookie', async () => {
    assert.equal((await post(path, { note: 'x' })).status, 403);
    assert.equal((await post(path, { note: 'x', csrf: '' }, { cookie: 'dlo-csrf=' })).status, 403);
  });

  it('a browser without a token receives one in an HttpOnly, SameSite=Strict cookie', async () => {
    const response = await get('/events/discard?q=status:pending');

    const [, token, attributes = ''] =
      /^dlo-csrf=([\w-]{32});(.*)$/.exec(response.headers.get('set-cookie') ?? '') ?? [];
    assert.match(attributes, /HttpOnly.*SameSite=Strict/);
    assert.ok((await response.text()).includes(`name="csrf" value="${token}"`));
  });

  it('a viewer may open pages', async () => {
    served().caller = viewer;

    assert.equal((await get('/')).status, 200);
  });
});
