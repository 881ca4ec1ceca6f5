import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as request from '../../support/read-capture.ts';

const readCapture = (body: string | object) =>
  request.readCapture(body, { 'content-type': 'application/vnd.dead-letter-office.report+json' });

const report = { eventType: 'order', payload: 1, error: { message: 'm' } };

describe('a report', () => {
  it('keeps no member that is a credential by its name', () => {
    const json = { ...report, source: { saslPassword: 's3cret', rack: 'a' }, accessToken: 's3cret' };
    const { metadata } = readCapture(json);
    const expected = { 'source.saslPassword': 'withheld', 'source.rack': 'a', accessToken: 'withheld' };
    assert.deepEqual(metadata?.ignored, expected);
  });

  it('keeps no credential among headers of any form', () => {
    const secret = 'Bearer s3cret';
    const forms = [
      { authorization: [secret], tenant: ['acme'] },
      { 'x-api-key': { base64: secret } },
      [
        ['Authorization', secret],
        ['tenant', 'acme'],
      ],
      [
        { name: 'authorization', value: secret },
        { key: 'X_Auth_Token', value: secret, n: 1 },
      ],
      [[[['cookie', secret]]], 7],
      `tenant: acme\r\nauthorization: ${secret}`,
      { more: { text: `{"x-api-key": "${secret}"}` } },
      'x'.repeat(2 ** 18) + secret,
    ];
    for (const headers of forms) {
      const capture = readCapture({ ...report, headers });
      assert.doesNotMatch(JSON.stringify(capture.metadata), /s3cret/, JSON.stringify(headers));
      assert.match(JSON.stringify(capture.metadata), /withheld/);
    }
    const headers = `"headers": {"Authorization": "${secret}"}`;
    for (const more of [`${headers}, "headers": {}`, `"Headers": [{${headers}}]`, `"config": {${headers}}`]) {
      const { metadata } = readCapture(`{"error": "m", "payload": 1, ${more}}`);
      assert.match(JSON.stringify(metadata), /^\{"ignored":\{"[^"]+":"withheld"\}\}$/);
    }
    for (const metadata of [
      { headers: { authorization: secret } },
      { http: { headers: [['cookie', secret]] } },
    ])
      assert.doesNotMatch(JSON.stringify(readCapture({ ...report, metadata }).metadata), /s3cret/);
    const kept = { headers: { tenant: 'acme' }, pageToken: '7', n: 1 };
    assert.deepEqual(readCapture({ ...report, metadata: kept }).metadata, kept);
    const deep = `${'['.repeat(2000)}["authorization", "${secret}"]${']'.repeat(2000)}`;
    const capture = readCapture(`{"error": "m", "payload": 1, "headers": ${deep}}`);
    assert.deepEqual(capture.metadata, { ignored: { headers: 'withheld' } });
  });

  it('keeps no authorization of an HTTP request in its metadata, and any other fact of that name', () => {
    for (const metadata of [
      { request: 'POST / HTTP/1.1\r\nAuthorization: Bearer s3cret\r\n\r\n' },
      { http: { authorization: 'Basic s3cret' } },
      { Authorization: 'Bearer s3cret' },
      { args: ['authorization', 'AWS4-HMAC-SHA256 Credential=s3cret'] },
      { log: '{"proxy-authorization": "Digest username=\\"s3cret\\""}' },
    ]) {
      const [name = ''] = Object.keys(metadata);
      assert.deepEqual(readCapture({ ...report, metadata }).metadata, { [name]: 'withheld' });
    }
    const facts = {
      authorization: 'A-4711',
      note: 'authorization: approved',
      cause: 'authorization token expired',
      basic: 'authorization fee',
    };
    assert.deepEqual(readCapture({ ...report, metadata: facts }).metadata, facts);
  });
});
