import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isAlive } from '../../local/processes/process-table.ts';
import { findFreePort } from '../support/free-port.ts';
import { close, findSockets, report, waitForOffice } from './office-acts.ts';
import { useOffices, waitFor } from './office-process.ts';

describe('a local office', () => {
  const { dataFolder, startOffice } = useOffices();

  const open = async (env: NodeJS.ProcessEnv = {}) => {
    const office = startOffice(env);
    return { office, ...(await waitForOffice(office)) };
  };

  it('opens on an empty folder, is ready, and keeps the password to itself', async () => {
    const { office, url } = await open();

    const health = await fetch(`${url}/healthz`);
    assert.deepEqual([health.status, await health.json()], [200, { status: 'ok' }]);
    const password = readFileSync(join(dataFolder, 'password'), 'utf8').trim();
    assert.ok(password.length >= 30);
    for (const file of ['password', 'url']) assert.equal(statSync(join(dataFolder, file)).mode & 0o077, 0);
    assert.ok(!office.stdout().includes(password));
    await close(office);
  });

  it('ends on Ctrl-C with exit code 0, a tally as the last line, and nothing left running', async () => {
    const { office, url, family } = await open();
    const sockets = findSockets(family);
    await report(url);

    office.child.kill('SIGINT');

    assert.equal(await office.ended, 0);
    assert.match(
      office.stdout(),
      /office +closed: 1 pending, 0 processing, 0 succeeded, 0 failed permanently\n$/,
    );
    assert.equal(office.stderr(), '');
    assert.deepEqual(family.filter(isAlive), []);
    assert.equal(existsSync(sockets), false);
  });

  it('refuses a second office on the same data', async () => {
    const { office } = await open();

    const second = startOffice();

    assert.equal(await second.ended, 1);
    assert.match(second.stderr(), new RegExp(`Another office is open on .* \\(process ${office.pid}\\)`));
    await close(office);
  });

  it('retries by its schedule, on the routes of its person', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}/nobody-is-there`;
    const route = { target: { kind: 'http', url }, policy: { maxRetries: 1 } };
    const { office } = await open({ ROUTES: JSON.stringify([route]) });

    await waitFor('the tick to be told', () => office.stdout().includes('tried 1 event: failed permanently'));
    await close(office);
  });
});
