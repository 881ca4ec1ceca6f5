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

describe('dlq_is_credential', () => {
  const database = useDatabase();

  it('names the headers that capture withholds', async () => {
    const names = [...new Set(fc.sample(name, { numRuns: 5000, seed: 1 }))];
    const rows = await database().sql<{ name: string; is: boolean }>(
      'select name, dlq_is_credential(name) as is from unnest($1::text[]) as name',
      [names],
    );
    assert.deepEqual(
      rows.filter(({ name: each, is }) => is !== isCredential(each)),
      [],
    );
    assert.ok(rows.filter(({ is }) => is).length > 500);
  });
});
