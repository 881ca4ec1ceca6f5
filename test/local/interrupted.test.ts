import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { useDatabase } from '../support/database.ts';
import { manyEvents } from '../support/factories.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { waitUntil } from '../support/wait-until.ts';
import { useServices, waitForAddress } from './service-process.ts';

/** How long the target still takes for its answers after Ctrl-C: Cloud Run would give it ten seconds. */
const slowMs = 4000;

describe('Ctrl-C during deliveries', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const { startService } = useServices();

  it('waits for the answers of slow targets, as deployed functions do: nothing is delivered twice', async () => {
    await manyEvents(database(), 3);
    // Half of the concurrency is in flight until the target answers.
    const routes = [{ target: { kind: 'http', url: target().url }, policy: { concurrency: 4 } }];
    const service = startService({ DATABASE_URL: database().url, ROUTES: JSON.stringify(routes) });
    const interrupted = Promise.withResolvers<void>();
    target().answer = async (_, response) => {
      await interrupted.promise.then(() => delay(slowMs));
      response.end();
    };
    await waitForAddress(service);
    await waitUntil('two are in flight', () => target().received.length === 2);
    service.child.kill('SIGINT');
    interrupted.resolve();

    assert.equal(await service.ended, 0);
    assert.match(
      service.stdout(),
      /dlo +stopped: 1 pending, 0 processing, 2 succeeded, 0 failed permanently\n$/,
    );
    assert.equal(target().received.length, 2);
  });
});
