import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { NotAuthorizedError } from '../../../../shared/errors.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';

describe('the API', () => {
  const api = useApi(useDatabase());
  const send = async (path: string, request: RequestInit = {}) => {
    const response = await fetch(api().url + path, request);
    const text = await response.text();
    return { response, body: text && JSON.parse(text) };
  };
  const post = (
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => send('/events/discard', { method: 'POST', headers, body });

  it('is served with and without /replay before its paths', async () => {
    for (const path of ['/events', '/replay/events', '/events?limit=1', '/replay/events?limit=1']) {
      assert.deepEqual((await api().get(path)).body, { items: [], next: null });
    }
  });

  it('answers every error with problem details', async () => {
    const tooLarge = JSON.stringify({ reason: 'x'.repeat(1_048_576) });
    for (const [answer, status, code] of [
      [send('/nowhere'), 404, 'NOT_FOUND'],
      [send('/replay/nowhere/'), 404, 'NOT_FOUND'],
      [send('/events/7'), 404, 'NOT_FOUND'],
      [send('/events/%zz'), 400, 'BAD_INPUT'],
      [send('/events', { method: 'DELETE' }), 405, 'METHOD_NOT_ALLOWED'],
      [send('/openapi.json', { method: 'POST' }), 405, 'METHOD_NOT_ALLOWED'],
      [send('/events?limit=0'), 400, 'BAD_INPUT'],
      [post('{"filter": {'), 400, 'BAD_INPUT'],
      [post(Buffer.from('{"reason": "\xff"}', 'latin1')), 400, 'BAD_INPUT'],
      [post('['.repeat(101) + ']'.repeat(101)), 400, 'BAD_INPUT'],
      [post(''), 400, 'BAD_INPUT'],
      [post(tooLarge), 413, 'TOO_LARGE'],
      [post('{}', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [post('{}', { 'content-type': 'application/jsonp' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [
        post(gzipSync('{}'), { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ],
    ] as const) {
      const { response, body } = await answer;
      assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.equal(response.headers.get('www-authenticate'), null);
      assert.deepEqual([response.status, body.status, body.code], [status, status, code], body.detail);
    }
  });

  it('says why it cannot read a body', async () => {
    for (const [body, remedy] of [
      ['', /^Required/],
      ['null', /^Give it as an object/],
      ['{"filter": {', /^Must be valid JSON\. .*JSON/],
      [Buffer.from('{"reason": "\xff"}', 'latin1'), /^Must be valid JSON\. The text is not UTF-8\.$/],
      ['['.repeat(101) + ']'.repeat(101), /at most 100 levels/],
    ] as const) {
      const [problem] = (await post(body)).body.problems;
      assert.equal(problem.field, 'body');
      assert.match(problem.remedy, remedy);
    }
  });

  it('lists the methods of a path in Allow', async () => {
    const { response: events } = await send('/events', { method: 'PUT' });
    const { response: discard } = await send('/events/discard');

    assert.deepEqual([events.headers.get('allow'), discard.headers.get('allow')], ['GET, HEAD', 'POST']);
  });

  it('answers HEAD like GET, without a body', async () => {
    const { response, body } = await send('/events', { method: 'HEAD' });

    assert.deepEqual([response.status, body], [200, '']);
  });

  it('does not count braces within a string as nesting', async () => {
    const { response } = await post(JSON.stringify({ reason: '[{'.repeat(500), filter: { key: '"\\' } }));

    assert.equal(response.status, 200);
  });

  it('counts the levels of a string that never ends in time that grows with its length', async () => {
    for (const body of [`"${'\\"'.repeat(500_000)}`, `"${'\\"'.repeat(500_000)}\\`, '"x'.repeat(500_000)]) {
      const start = process.cpuUsage();
      const { response } = await post(body);
      assert.deepEqual([response.status, process.cpuUsage(start).user < 5_000_000], [400, true]);
    }
  });

  it('forbids caches to store responses, and browsers to take them for something else', async () => {
    const { headers } = (await send('/events')).response;

    assert.deepEqual(
      [headers.get('cache-control'), headers.get('x-content-type-options')],
      ['no-store', 'nosniff'],
    );
  });
});

describe('the API without an authenticated caller', () => {
  const reject = async () => {
    throw new NotAuthorizedError('Who are you?');
  };
  const api = useApi(useDatabase(), { identify: reject });

  it('returns and changes nothing', async () => {
    for (const path of ['/events', '/events/1', '/audit']) assert.equal((await api().get(path)).status, 401);
    for (const path of ['/runs', '/events/discard', '/events/reopen'])
      assert.equal((await api().post(path, {})).status, 401);
  });

  it('says how to authenticate', async () => {
    assert.equal((await fetch(`${api().url}/events`)).headers.get('www-authenticate'), 'Bearer');
  });

  it('serves its OpenAPI document', async () => {
    const { paths } = (await (await fetch(`${api().url}/openapi.json`)).json()) as { paths: object };

    assert.ok('/events/discard' in paths);
  });
});
