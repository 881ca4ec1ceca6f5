import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { isCredential } from '../../shared/message/credential-headers.ts';
import { useDatabase } from '../support/database.ts';
import { readCapture } from '../support/read-capture.ts';

const words = [
  ...[
    'x',
    'X',
    'api',
    'API',
    'key',
    'keys',
    'Auth',
    'authorization',
    'token',
    'goog',
    'channel',
    'jwt',
    'bearer',
  ],
  ...[
    'proxy',
    'cookie',
    'cookie2',
    'Set',
    'session',
    'id',
    'passwd',
    'password',
    'secret',
    'credentials',
    'otp',
  ],
  ...[
    'csrf',
    'xsrf',
    'access',
    'private',
    'license',
    'event',
    'idempotency',
    'subscription',
    'shared',
    'application',
    'encryption',
    'customer',
    'oidc',
    'data',
    'ı',
    'É',
  ],
];
const name = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom('-', '_', '.', '', ' ')), {
    maxLength: 4,
    minLength: 1,
  })
  .map((pairs) =>
    pairs
      .flat()
      .join('')
      .replace(/[-_. ]$/, ''),
  );

describe('dlq_capture', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());

  it('withholds the headers that the capture function withholds', async () => {
    const names = [...new Set(fc.sample(name, { numRuns: 5000, seed: 1 }))];
    const headers = JSON.stringify(Object.fromEntries(names.map((each) => [each, 'x'])));
    await database().sql(`select dlq_capture('order.created', '{}', headers => $1)`, [headers]);
    const [row] = await database().sql<{ withheld: string[]; headers: Record<string, string> }>(
      `select metadata -> 'withheld' as withheld, headers from dlq_events`,
    );
    const withheld = row?.withheld ?? [];
    assert.deepEqual([...withheld].sort(), names.filter(isCredential).sort());
    assert.equal(Object.keys(row?.headers ?? {}).length, names.length - withheld.length);
    assert.ok(withheld.length > 500);
  });

  it('keeps of its metadata what a report over HTTP keeps', async () => {
    const metadata = {
      headers: { authorization: 'Bearer s3cret' },
      requestHeaders: [['cookie', 's3cret']],
      http: { config: { headers: { 'X-Api-Key': 's3cret' } } },
      request: 'POST / HTTP/1.1\r\nAuthorization: Bearer s3cret\r\n\r\n',
      response: '{"headers":{\n"set-cookie":"s3cret"}}',
      log: '{"proxy-authorization": "Digest username=\\"s3cret\\""}',
      ...{ sentHeaders: { tenant: 'acme' }, pageToken: '7', authorization: 'A-4711', n: null },
      ...{ note: 'authorization: approved', cause: 'headers of the token', text: 'see "headers"' },
      long: { headers: 'x'.repeat(2 ** 18) },
    };
    const report = { eventType: 'order', payload: 1, error: { message: 'm' }, metadata };
    const type = { 'content-type': 'application/vnd.dead-letter-office.report+json' };
    await database().sql(`select dlq_capture('order', '1', metadata => $1)`, [JSON.stringify(metadata)]);
    const [row] = await database().sql('select metadata from dlq_events');
    assert.deepEqual(row?.metadata, readCapture(report, type).metadata);
    assert.equal(Object.values(Object(row?.metadata)).filter((kept) => kept === 'withheld').length, 7);
  });

  it('keeps metadata that is no object as a text, unless it names a credential of a request', async () => {
    for (const metadata of ['["a"]', '"note"', '[{"headers": {"x-api-key": "s3cret"}}]'])
      await database().sql(`select dlq_capture('order', '1', metadata => $1)`, [metadata]);
    const rows = await database().sql('select metadata from dlq_events order by id');
    assert.deepEqual(
      rows.map((row) => Object(row.metadata).ignored.metadata),
      ['["a"]', '"note"', 'withheld'],
    );
  });
});
