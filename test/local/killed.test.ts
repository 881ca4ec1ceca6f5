import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { before, describe } from 'node:test';
import { itTriesOne } from '../support/sample.ts';
import { waitUntil } from '../support/wait-until.ts';
import { isAlive, listDescendants } from './process-table.ts';
import { findProcess, report, stop, waitForFailedStart, waitForService } from './service-actions.ts';
import { startFile, useServices, waitForAddress } from './service-process.ts';

describe('npm start after a kill -9', () => {
  const { startService } = useServices();

  const start = async (env: NodeJS.ProcessEnv = {}) => {
    const service = startService(env);
    return { service, ...(await waitForService(service)) };
  };

  let running: Awaited<ReturnType<typeof start>>;
  before(async () => {
    running = await start();
  });

  /** Each ends the running service in its way, and most start the next one on its data. */
  itTriesOne('kill', {
    'leaves no process of a killed service, and the next service continues with the data': async () => {
      const { service, url } = running;
      await report(url);
      const family = listDescendants(service.pid);
      assert.ok(family.length > 2, 'the keeper, PostgreSQL and its workers');

      service.child.kill('SIGKILL');
      await waitUntil('its processes end', () => !family.some(isAlive));

      running = await start();
      assert.equal(await report(running.url), false, 'the event is known');
    },
    'recovers if all its processes are killed at once': async () => {
      const { service, url } = running;
      await report(url);

      // Looked up now: the system gives the id of a process that has ended to another one.
      for (const pid of [service.pid, ...listDescendants(service.pid)]) killIfAlive(pid);
      await service.ended;

      running = await start();
      assert.equal(await report(running.url), false, 'the event is known');
    },
    'names the command that ends a PostgreSQL whose keeper was killed, too': async () => {
      const { service } = running;
      const family = listDescendants(service.pid);
      const postgres = findProcess(family, ' -D ');

      // A service that still runs would end PostgreSQL after its keeper.
      service.child.kill('SIGSTOP');
      process.kill(findProcess(family, 'dlo-keeper'), 'SIGKILL');
      service.child.kill('SIGKILL');
      await service.ended;
      const said = await waitForFailedStart(startService());

      const command = `kill -INT ${postgres}`;
      assert.ok(said.includes(command), said);
      execSync(command);
      await waitUntil('PostgreSQL ends', () => !isAlive(postgres));
      running = await start();
    },
    'stops the service if npm is killed': async () => {
      await stop(running.service);
      // As npm does: the shell becomes the service.
      const shell = `["-c", "exec '${process.execPath}' ${startFile}"], { stdio: "inherit" }`;
      const npm = startService({ npm_lifecycle_event: 'start' }, [
        '-e',
        `child_process.spawn("sh", ${shell})`,
      ]);
      await waitForAddress(npm);
      const family = listDescendants(npm.pid);

      npm.child.kill('SIGKILL');
      await waitUntil('the service stops', () => !family.some(isAlive));
      // Its last words may still be in the pipe.
      await waitUntil('it says what is left', () => /dlo +stopped: \d pending/.test(npm.stdout()));
    },
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
