import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCredential } from '../../shared/message/credential-headers.ts';
import { useDatabase } from '../support/database.ts';

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
});
