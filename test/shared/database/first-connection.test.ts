import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowSlowNetwork } from '../../../shared/database/pool.ts';
import { openPool, useDatabase } from '../../support/database.ts';

describe('a pool', () => {
  const database = useDatabase();
  const location = { kind: 'cloud-sql', instance: 'acme:eu:dlo', database: 'dlo', user: 'capture' } as const;
  const aPool = () => openPool({ connectionString: database().url, connectionTimeoutMillis: 10_000 });

  for (const ipType of ['PRIVATE', 'PSC'] as const) {
    it(`waits longer for its first connection over ${ipType}, and then as usual`, async (context) => {
      const pool = aPool();
      context.after(() => pool.end());
      allowSlowNetwork(pool, { ...location, ipType, poolMax: 2 });
      assert.equal(pool.options.connectionTimeoutMillis, 55_000);
      await pool.query('select 1');
      assert.equal(pool.options.connectionTimeoutMillis, 10_000);
    });
  }

  it('waits as usual over the internet, and for a database by URL', () => {
    for (const config of [
      { ...location, ipType: 'PUBLIC', poolMax: 2 },
      { kind: 'url', url: database().url, poolMax: 2 },
    ] as const) {
      const pool = aPool();
      allowSlowNetwork(pool, config);
      assert.equal(pool.options.connectionTimeoutMillis, 10_000);
    }
  });
});
