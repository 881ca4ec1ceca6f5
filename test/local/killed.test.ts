import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { isAlive, listDescendants } from './process-table.ts';
import { findProcess, report, stop, waitForFailedStart, waitForService } from './service-actions.ts';
import { startFile, useServices, waitFor, waitForAddress } from './service-process.ts';

describe('npm start after a kill -9', () => {
  const { startService } = useServices();

  const start = async (env: NodeJS.ProcessEnv = {}) => {
    const service = startService(env);
    return { service, ...(await waitForService(service)) };
  };

  it('leaves no process of a killed service, and the next service continues with the data', async () => {
    const { service, url, family } = await start();
    await report(url);
    assert.ok(family.length > 2, 'the keeper, PostgreSQL and its workers');

    service.child.kill('SIGKILL');
    await waitFor('its processes to end', () => !family.some(isAlive));

    const next = await start();
    assert.equal(await report(next.url), false, 'the event is known');
    await stop(next.service);
  });

  it('recovers if all its processes are killed at once', async () => {
    const { service, url, family } = await start();
    await report(url);

    for (const pid of [service.pid, ...family]) killIfAlive(pid);
    await service.ended;

    const next = await start();
    assert.equal(await report(next.url), false, 'the event is known');
    await stop(next.service);
  });

  it('stops the service if npm is killed', async () => {
    // As npm does: the service runs below a shell, which outlives npm.
    const shell = `["-c", "'${process.execPath}' ${startFile}; true"], { stdio: "inherit" }`;
    const npm = startService({ npm_lifecycle_event: 'start' }, ['-e', `child_process.spawn("sh", ${shell})`]);
    await waitForAddress(npm);
    const family = listDescendants(npm.pid);

    npm.child.kill('SIGKILL');
    await waitFor('the service to stop', () => !family.some(isAlive));
    assert.match(npm.stdout(), /dlo +stopped: \d pending/);
  });

  it('names the command that ends a PostgreSQL whose keeper was killed, too', async () => {
    const { service, family } = await start();
    const postgres = findProcess(family, ' -D ');

    process.kill(findProcess(family, 'dlo-keeper'), 'SIGKILL');
    service.child.kill('SIGKILL');
    await service.ended;
    const said = await waitForFailedStart(startService());

    const [command = ''] = /kill -INT \d+/.exec(said) ?? [];
    assert.equal(command, `kill -INT ${postgres}`);
    execSync(command);
    await waitFor('PostgreSQL to end', () => !isAlive(postgres));
    await stop((await start()).service);
  });
});

/** PostgreSQL ends its own workers meanwhile. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (isAlive(pid)) throw error;
  }
}
