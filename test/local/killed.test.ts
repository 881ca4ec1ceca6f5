import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isAlive } from '../../local/processes/process-table.ts';
import { close, findProcess, findSockets, report, waitForOffice } from './office-acts.ts';
import { listDescendants, startFile, useOffices, waitFor, waitForAddress } from './office-process.ts';

describe('after a kill -9', () => {
  const { startOffice } = useOffices();

  const open = async (env: NodeJS.ProcessEnv = {}) => {
    const office = startOffice(env);
    return { office, ...(await waitForOffice(office)) };
  };

  it('of the office no process is left, and the next office continues with the data', async () => {
    const { office, url, family } = await open();
    await report(url);
    assert.ok(family.length > 4, 'functions, keeper and PostgreSQL');

    office.child.kill('SIGKILL');
    await waitFor('its processes to end', () => !family.some(isAlive));

    const next = await open();
    assert.equal(await report(next.url), false, 'the event is known');
    await close(next.office);
  });

  it('of all processes at once the next office is as good as new', async () => {
    const { office, url, family } = await open();
    await report(url);
    const sockets = findSockets(family);

    for (const pid of [office.pid, ...family].filter(isAlive)) process.kill(pid, 'SIGKILL');
    await office.ended;

    const next = await open();
    assert.equal(await report(next.url), false, 'the event is known');
    assert.doesNotMatch(next.office.stdout(), /starting it again/);
    assert.equal(existsSync(sockets), false);
    await close(next.office);
  });

  it('of npm the office closes by itself', async () => {
    // As npm does it: the office below a shell, which stays when npm is gone.
    const shell = `["-c", "'${process.execPath}' ${startFile}; true"], { stdio: "inherit" }`;
    const npm = startOffice({ npm_lifecycle_event: 'start' }, ['-e', `child_process.spawn("sh", ${shell})`]);
    await waitForAddress(npm);
    const family = listDescendants(npm.pid);

    npm.child.kill('SIGKILL');
    await waitFor('the office to close', () => !family.some(isAlive));
    assert.match(npm.stdout(), /office +closed: \d pending/);
  });

  it('that spared PostgreSQL the next office stops it and takes over', async () => {
    const { office, url, family } = await open();
    await report(url);
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

  it('of a function and of PostgreSQL both are started again', async () => {
    const { office, url, family } = await open();
    await report(url);

    process.kill(findProcess(family, '--target capture'), 'SIGKILL');
    process.kill(findProcess(family, ' -D '), 'SIGKILL');

    await waitFor('the deaths to be told', () => office.stdout().match(/starting it again/g)?.length === 2);
    await waitFor('all to be well', async () => (await fetch(`${url}/healthz`)).ok);
    assert.equal(await report(url), false, 'the event is known');
    await close(office);
  });
});
