import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startCloudSql } from '../../support/cloud-sql/use-cloud-sql.ts';
import { useDatabase } from '../../support/database.ts';
import { useLogins } from '../../support/logins.ts';

const program = path.resolve(import.meta.dirname, '../../support/cloud-sql/old-pool.ts');

describe('a pool on Cloud SQL', () => {
  const database = useDatabase();
  const aLogin = useLogins(() => database().url);

  it('is replaced before its certificate expires, even if no timer has run', async (context) => {
    const { user, url } = await aLogin('in role dlq_capture');
    const cloudSql = await startCloudSql(user, url);
    context.after(cloudSql.stop);
    const { instance: INSTANCE_CONNECTION_NAME, database: DB_NAME, env } = cloudSql;
    const location = { INSTANCE_CONNECTION_NAME, DB_NAME, DB_USER: user, DB_POOL_MAX: '1' };
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      env: { PATH: process.env.PATH, ...env, ...location },
    });

    const [first, again, later] = JSON.parse(stdout) as number[];
    assert.equal(again, first);
    assert.notEqual(later, first);
  });
});
