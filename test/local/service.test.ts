import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';
import { isAlive, listDescendants } from './process-table.ts';
import { findProcess, report, waitForFailedStart, waitForService } from './service-actions.ts';
import { useServices } from './service-process.ts';

describe('a service of npm start', () => {
  const { dataFolder, startService } = useServices();

  const start = async (env: NodeJS.ProcessEnv = {}) => {
    const service = startService(env);
    return { service, ...(await waitForService(service)) };
  };

  /** On the running service, for the next start. */
  const pretendOtherMigrations = async () => {
    const client = new pg.Client(readFileSync(join(dataFolder, 'url'), 'utf8').trim());
    await client.connect();
    await client.query(`comment on table dlq_migrations is '{"001_events.sql": "another"}'`);
    await client.end();
  };

  const readDatabase = () => new URL(readFileSync(join(dataFolder, 'url'), 'utf8')).pathname;
  let running: Awaited<ReturnType<typeof start>>;
  before(async () => {
    running = await start({ DEMO: 'on' });
  });

  it('starts on an empty folder, is healthy, and keeps the password private', async () => {
    const { service, url } = running;

    let health: unknown;
    // On a busy machine a probe takes longer than it may, and the next one does not.
    await waitUntil('it is healthy', async () => {
      const answer = await fetch(`${url}/healthz`);
      health = await answer.json();
      return answer.ok;
    });
    assert.deepEqual(health, { status: 'ok' });
    const file = join(dataFolder, 'url');
    const { password } = new URL(readFileSync(file, 'utf8'));
    assert.ok(password.length >= 30);
    assert.equal(statSync(file).mode & 0o077, 0);
    assert.ok(!service.stdout().includes(password));
  });

  it('serves every function under its own path, and captures malformed JSON', async () => {
    const { service, url } = running;
    const headers = { 'content-type': 'application/json' };
    const post = (path: string, body: string) => fetch(`${url}${path}`, { method: 'POST', headers, body });

    const captured = await post('/capture', '{"cut');
    assert.equal(captured.status, 200, 'the framework alone would answer 400');
    const { events } = (await captured.json()) as { events: { id: string }[] };
    const statuses = [
      await post('/retry', ''),
      await fetch(`${url}/replay/events/${events[0]?.id}`),
      await fetch(`${url}/console`),
      await fetch(`${url}/maintain/metrics`),
      await post('/maintain', ''),
    ].map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
    await waitUntil('the work is shown', () => /capture +captured 1 from /.test(service.stdout()));
    assert.doesNotMatch(service.stdout(), /"severity"/);
  });

  it('rejects a second service on the same data', async () => {
    const said = await waitForFailedStart(startService());

    assert.match(said, /^Another Dead Letter Office runs on .*DATA_DIR/);
  });

  it('shows the demo on a database of its own, and prints commands that work as they are', async () => {
    const { service, url } = running;
    assert.equal(readDatabase(), '/demo');
    await waitUntil('the failure', () => /retry +claimed .*failed permanently/.test(service.stdout()));

    const lines = service.stdout().match(/^ {2}(curl|psql) .*/gm) ?? [];
    assert.ok(lines.length >= 4, service.stdout());
    for (const line of lines) {
      const { stdout } = await promisify(execFile)('sh', ['-c', line]);
      if (line.includes('psql')) assert.match(stdout, /error_reason/);
      else assert.equal(typeof JSON.parse(stdout), 'object');
      assert.doesNotMatch(stdout, /"status":[45]\d\d/, line);
    }
    await waitUntil('it is healthy', async () => (await fetch(`${url}/healthz`)).ok);
  });

  it('ends on Ctrl-C with exit code 0, the counts as the last line, and no process left', async () => {
    const { service } = running;
    await pretendOtherMigrations();
    const family = listDescendants(service.pid);

    service.child.kill('SIGINT');

    assert.equal(await service.ended, 0);
    assert.match(
      service.stdout(),
      /dlo +stopped: \d+ pending, 0 processing, \d+ succeeded, \d+ failed permanently\n$/,
    );
    assert.equal(service.stderr(), '');
    assert.deepEqual(family.filter(isAlive), []);
  });

  it('does not start on data of other migrations, and names them with the remedy', async () => {
    assert.match(
      await waitForFailedStart(startService({ DEMO: 'on' })),
      /^The database was created by other migrations: 001_events\.sql.*npm run reset/,
    );
  });

  it('begins with empty data after npm run reset, which deletes nothing while it runs', async () => {
    const reset = () => startService({}, [join(import.meta.dirname, '../../local/reset.ts')]);
    assert.equal(await reset().ended, 0);
    const closed = `http://127.0.0.1:${await findFreePort()}/closed`;
    const route = { target: { kind: 'http', url: closed }, policy: { maxRetries: 1 } };
    running = await start({ ROUTES: JSON.stringify([route]) });
    assert.equal(readDatabase(), '/dlo');

    assert.equal(await report(running.url), true, 'the event is new');
    const rejected = reset();
    assert.equal(await rejected.ended, 1);
    assert.match(rejected.stderr(), /^A Dead Letter Office runs on .* Nothing was deleted; stop it first/);
  });

  it("retries by its schedule, with the operator's routes", async () => {
    await waitUntil('the tick', () => running.service.stdout().includes('failed permanently'));
  });

  it('stops with exit code 1 and the cause if PostgreSQL ends', async () => {
    const { service, family } = running;

    process.kill(findProcess(family, ' -D '), 'SIGKILL');

    assert.equal(await service.ended, 1);
    assert.match(service.stderr(), /^PostgreSQL ended with exit code 1\.\n/);
    assert.deepEqual(family.filter(isAlive), []);
  });

  it('names the ways to go on if another version of PostgreSQL wrote the data', async () => {
    writeFileSync(join(dataFolder, 'postgres/PG_VERSION'), '17\n');
    assert.match(
      await waitForFailedStart(startService()),
      /^PostgreSQL ended with exit code 1\. Another version wrote the data: .* DATA_DIR .* npm run reset\n.*version 17/s,
    );
  });
});
