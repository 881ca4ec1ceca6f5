import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { findFreePort } from '../support/free-port.ts';
import { isAlive } from './process-table.ts';
import { findProcess, report, stop, waitForFailedStart, waitForService } from './service-actions.ts';
import { useServices, waitFor } from './service-process.ts';

describe('a service of npm start', () => {
  const { dataFolder, startService } = useServices();

  const start = async (env: NodeJS.ProcessEnv = {}) => {
    const service = startService(env);
    return { service, ...(await waitForService(service)) };
  };

  it('starts on an empty folder, is healthy, and keeps the password private', async () => {
    const { service, url } = await start();

    const health = await fetch(`${url}/healthz`);
    assert.deepEqual([health.status, await health.json()], [200, { status: 'ok' }]);
    const file = join(dataFolder, 'url');
    const { password } = new URL(readFileSync(file, 'utf8'));
    assert.ok(password.length >= 30);
    assert.equal(statSync(file).mode & 0o077, 0);
    assert.ok(!service.stdout().includes(password));
    await stop(service);
  });

  it('serves every function under its own path, and captures malformed JSON', async () => {
    const { service, url } = await start({ RETRY_EVERY_SECONDS: '0' });
    const headers = { 'content-type': 'application/json' };
    const post = (path: string, body: string) => fetch(`${url}${path}`, { method: 'POST', headers, body });

    const captured = await post('/capture', '{"cut');
    assert.equal(captured.status, 200, 'the framework alone would answer 400');
    const { events } = (await captured.json()) as { events: { id: string }[] };
    const statuses = [
      await post('/retry', ''),
      await post('/replay', JSON.stringify({ ids: [Number(events[0]?.id)] })),
      await fetch(`${url}/replay/events/${events[0]?.id}`),
      await fetch(`${url}/console`),
      await fetch(`${url}/maintain/metrics`),
      await post('/maintain', ''),
    ].map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200]);
    await waitFor('the work to be shown', () => /capture +captured 1 event/.test(service.stdout()));
    assert.doesNotMatch(service.stdout(), /"severity"/);
    await stop(service);
  });

  it('ends on Ctrl-C with exit code 0, the counts as the last line, and no process left', async () => {
    const { service, url, family } = await start();
    await report(url);

    service.child.kill('SIGINT');

    assert.equal(await service.ended, 0);
    assert.match(
      service.stdout(),
      /dlo +stopped: 2 pending, 0 processing, 0 succeeded, 0 failed permanently\n$/,
    );
    assert.equal(service.stderr(), '');
    assert.deepEqual(family.filter(isAlive), []);
  });

  it('rejects a second service on the same data', async () => {
    const { service } = await start();

    const said = await waitForFailedStart(startService());

    assert.match(said, /^Another Dead Letter Office runs on .*DATA_DIR/);
    await stop(service);
  });

  it('does not start on data of other migrations, and names them with the remedy', async () => {
    const { service } = await start();
    const pool = new pg.Pool({ connectionString: readFileSync(join(dataFolder, 'url'), 'utf8').trim() });
    await pool.query(`comment on table dlq_migrations is '{"001_events.sql": "another"}'`);
    await pool.end();
    await stop(service);

    assert.match(
      await waitForFailedStart(startService()),
      /^The database was created by other migrations: 001_events\.sql.*npm run reset/,
    );
  });

  it('begins with empty data after npm run reset, which deletes nothing while it runs', async () => {
    const reset = () => startService({}, [join(import.meta.dirname, '../../local/reset.ts')]);
    assert.equal(await reset().ended, 0);
    const { service, url } = await start();

    assert.equal(await report(url), true, 'the event is new');
    const rejected = reset();
    assert.equal(await rejected.ended, 1);
    assert.match(rejected.stderr(), /^A Dead Letter Office runs on .* Nothing was deleted; stop it first/);
    await stop(service);
  });

  it("retries by its schedule, with the operator's routes", async () => {
    const url = `http://127.0.0.1:${await findFreePort()}/closed`;
    const route = { target: { kind: 'http', url }, policy: { maxRetries: 1 } };
    const { service } = await start({ ROUTES: JSON.stringify([route]) });

    await waitFor('the tick', () => service.stdout().includes('failed permanently'));
    await stop(service);
  });

  it('stops with exit code 1 and the cause if PostgreSQL ends', async () => {
    const { service, family } = await start();

    process.kill(findProcess(family, ' -D '), 'SIGKILL');

    assert.equal(await service.ended, 1);
    assert.match(service.stderr(), /^PostgreSQL ended with exit code 1\.\n/);
    assert.deepEqual(family.filter(isAlive), []);
  });
});
