import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { IdentityUnavailableError } from '../../../shared/errors.ts';
import { operator, sendForm, useConsole, viewer } from '../../support/console.ts';
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
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
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
    assert.deepEqual(headers.get('x-frame-options'), 'DENY');
  });

  it('responses ask browsers to come back by TLS only', async () => {
    for (const path of ['/', '/nothing', '/assets/none', '/events?q=wrong:'])
      assert.match((await get(path)).headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/, path);
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

  // No page has this address: an accepted form is answered with 404, and changes nothing.
  const path = '/none';
  const form = { note: 'x' };

  it('a form from a page of the console is accepted', async () => {
    assert.equal((await post(path, form)).status, 404);
  });

  it('the Origin header decides without Sec-Fetch-Site', async () => {
    const origins = [new URL(served().url).origin, 'https://evil.example', 'null', undefined];
    const statuses = origins.map(async (origin) => {
      const headers = { ...(origin && { origin }) };
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
    ['from a place that the browser does not name', { 'sec-fetch-site': '' }],
  ] as const) {
    it(`a form ${what} is rejected, whatever its origin`, async () => {
      assert.equal((await post(path, form, headers)).status, 403);
      const { origin } = new URL(served().url);
      assert.equal((await post(path, form, { ...headers, origin })).status, 403);
    });
  }

  for (const type of [
    'application/json',
    'text/plain',
    'multipart/form-data',
    'application/x-www-form-url',
  ]) {
    it(`a body of type ${type} is no form`, async () => {
      assert.equal((await post(path, form, { 'content-type': type })).status, 415);
    });
  }

  it('a form may be as large as an edited message, and not larger', async () => {
    assert.equal((await post(path, { note: 'x'.repeat(2 ** 22 - 5) })).status, 404);
    assert.equal((await post(path, { note: 'x'.repeat(2 ** 22) })).status, 413);
  });

  it('the result of an action is in a cookie that no script and no other site reads, once', async () => {
    const changed = await post('/groups', { back: 'groups' }, { 'x-forwarded-proto': 'https' });
    const [cookie = ''] = changed.headers.getSetCookie();
    assert.match(cookie, /^__Host-dlo-notice=.*; Path=\/; HttpOnly; Secure; SameSite=Strict/);

    const headers = { 'x-forwarded-proto': 'https', cookie: cookie.split(';')[0] ?? '' };
    const refresh = { ...headers, 'sec-fetch-dest': 'empty' };
    const refreshed = await fetch(`${served().url}/runs`, { headers: refresh });
    assert.equal(refreshed.headers.get('set-cookie'), null, 'a page that refreshes itself shows no result');
    const shown = await fetch(`${served().url}/groups`, { headers });
    assert.match(await shown.text(), /No error is selected/);
    assert.match(shown.headers.get('set-cookie') ?? '', /^__Host-dlo-notice=; Max-Age=0/);
  });

  it('a redirect stays within the console, whatever a form says', async () => {
    for (const back of [
      'groups?\r\nx: y',
      'groups?\u2028',
      '//evil.example',
      'https://evil.example/groups',
    ]) {
      const location = (await post('/groups', { back })).headers.get('location') ?? '';
      assert.match(location, /^\/groups(\?[!-~]*)?$/, back);
    }
    for (const back of ['groups/..//evil.example', 'groups/..\\\\evil.example']) {
      const location = (await post('/groups', { back })).headers.get('location') ?? '';
      assert.equal(new URL(location, served().url).host, new URL(served().url).host, back);
    }
  });

  it('no link of a page leads out of the console, whatever is in its address', async () => {
    for (const path of ['/javascript:alert(1)', '/https://evil.example/', '///evil.example/']) {
      const { pathname } = new URL(served().url + path);
      const page = await (await get(pathname)).text();
      const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => new URL(href, served().url));
      const { origin } = new URL(served().url);
      assert.deepEqual([...new Set(links.map((each) => each.origin))], [origin], path);
    }
  });

  it('a viewer may open pages', async () => {
    served().caller = viewer;

    assert.equal((await get('/')).status, 200);
  });
});

describe('a console that cannot identify its users at the moment', () => {
  const identify = () => {
    throw new IdentityUnavailableError('The keys cannot be read.');
  };
  const served = useConsole(useDatabase(), { identify });

  it('says so, and tries again by itself, but sends no form again', async () => {
    const response = await fetch(served().url);
    const { headers } = response;

    assert.deepEqual([response.status, headers.get('retry-after'), headers.get('refresh')], [503, '5', '15']);
    const sent = await sendForm(`${served().url}/groups`, {});
    assert.deepEqual([sent.status, sent.headers.get('refresh')], [503, null]);
    assert.match(await response.text(), /<h1>The keys cannot be read\.<\/h1>/);
  });
});
