import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startCloudSql } from '../../support/cloud-sql/use-cloud-sql.ts';
import { useDatabase } from '../../support/database.ts';
import { useLogins } from '../../support/logins.ts';

const programs = path.resolve(import.meta.dirname, '../../support/cloud-sql');

describe('a pool on Cloud SQL', () => {
  const database = useDatabase();
  const aLogin = useLogins(() => database().url);

  it('is replaced before its certificate expires, even if no timer has run', async (context) => {
    const { user, url } = await aLogin('in role dlq_capture');
    const cloudSql = await startCloudSql(user, url);
    context.after(cloudSql.stop);
    const { instance: INSTANCE_CONNECTION_NAME, database: DB_NAME, env } = cloudSql;
    const location = { INSTANCE_CONNECTION_NAME, DB_NAME, DB_USER: user, DB_POOL_MAX: '1' };
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(programs, 'old-pool.ts')], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...env,
        ...location,
      },
    });

    const [first, again, later, beside] = JSON.parse(stdout) as number[];
    assert.equal(again, first);
    assert.notEqual(later, first);
    // By one pool of one connection, whoever found the old one.
    assert.equal(beside, later);
  });

  const runFirstQuery = async (env: Record<string, string>) => {
    const location = {
      INSTANCE_CONNECTION_NAME: 'acme:europe-west1:dlo',
      DB_NAME: 'dlo',
      DB_USER: 'capture',
    };
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(programs, 'first-query.ts')], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...env,
        ...location,
        DB_POOL_MAX: '1',
      },
    });
    return JSON.parse(stdout) as { readonly code: string; readonly cause: string };
  };

  it('is unavailable while the Admin API rejects its login, and says which login lacks which role', async (context) => {
    const cloudSql = await startCloudSql('capture', database().url, 1000);
    context.after(cloudSql.stop);
    const { code, cause } = await runFirstQuery({ ...cloudSql.env, CONNECT_MS: '20000' });

    assert.equal(code, 'DATABASE_UNAVAILABLE');
    assert.match(cause, /acme:europe-west1:dlo.*403.*The login capture needs roles\/cloudsql.client/s);
  });

  it('is unavailable when the metadata server is silent', async (context) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    context.after(() => silent.close());
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const { code, cause } = await runFirstQuery({
      CONNECT_MS: '500',
      HTTPS_PROXY: `http://${host}`,
      GCE_METADATA_HOST: host,
      METADATA_SERVER_DETECTION: 'assume-present',
    });

    assert.equal(code, 'DATABASE_UNAVAILABLE');
    assert.match(cause, /answered within 500 ms/);
  });
});
