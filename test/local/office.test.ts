import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { isAlive, readCommand } from '../../local/processes/process-table.ts';
import { findFreePort } from '../support/free-port.ts';
import {
  listDescendants,
  type OfficeProcess,
  startFile,
  useOffices,
  waitFor,
  waitForAddress,
} from './office-process.ts';

describe('a local office', () => {
  const { dataFolder, startOffice } = useOffices();

  const open = async (env: NodeJS.ProcessEnv = {}) => {
    const office = startOffice(env);
    return { office, url: await waitForAddress(office), family: listDescendants(office.pid) };
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
    const sockets = dirname(readCommand(findProcess(family, '--target capture')).split('--port ')[1] ?? '');
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

  it('leaves no process behind when it is killed, and the next one continues with the data', async () => {
    const { office, family } = await open();
    assert.ok(family.length > 4, 'functions, keeper and PostgreSQL');

    office.child.kill('SIGKILL');
    await waitFor('its processes to end', () => !family.some(isAlive));

    const next = await open();
    assert.equal(await report(next.url), false, 'the event is known');
    await close(next.office);
  });

  it('closes when the npm that started it was killed', async () => {
    // As npm does it: the office below a shell, which stays when npm is gone.
    const shell = `["-c", "'${process.execPath}' ${startFile}; true"], { stdio: "inherit" }`;
    const npm = startOffice({ npm_lifecycle_event: 'start' }, ['-e', `child_process.spawn("sh", ${shell})`]);
    await waitForAddress(npm);
    const family = listDescendants(npm.pid);

    npm.child.kill('SIGKILL');
    await waitFor('the office to close', () => !family.some(isAlive));
    assert.match(npm.stdout(), /office +closed: 1 pending/);
  });

  it('takes over when PostgreSQL was left running', async () => {
    const { office, family } = await open();
    const postgres = findProcess(family, ' -D ');

    process.kill(findProcess(family, 'keeper.ts'), 'SIGKILL');
    office.child.kill('SIGKILL');
    await office.ended;
    assert.ok(isAlive(postgres));

    const next = await open();
    assert.equal(isAlive(postgres), false);
    assert.equal(await report(next.url), false, 'the event is known');
    await close(next.office);
  });

  it('starts a function and a database again that died', async () => {
    const { office, url, family } = await open();

    process.kill(findProcess(family, '--target capture'), 'SIGKILL');
    process.kill(findProcess(family, ' -D '), 'SIGKILL');

    await waitFor('the deaths to be told', () => office.stdout().match(/starting it again/g)?.length === 2);
    await waitFor('all to be well', async () => (await fetch(`${url}/healthz`)).ok);
    assert.equal(await report(url), false, 'the event is known');
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

/** Reports the same failure each time; whether it was new. */
async function report(url: string): Promise<unknown> {
  const body = JSON.stringify({ eventType: 'order.placed', payload: { orderId: 'A-1' } });
  const answer = await fetch(`${url}/capture`, { method: 'POST', body });
  const { events } = (await answer.json()) as { events: { isNew: boolean }[] };
  return events[0]?.isNew;
}

async function close({ child, ended }: OfficeProcess): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
}

function findProcess(pids: readonly number[], part: string): number {
  const found = pids.find(
    (pid) => readCommand(pid).includes(part) && !readCommand(pid).includes(`"${part.trim()}"`),
  );
  assert.ok(found, `a process with ${part}`);
  return found;
}
