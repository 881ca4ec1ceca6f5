import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { manyEvents } from '../support/factories.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { waitUntil } from '../support/wait-until.ts';
import { useServices, waitForAddress } from './service-process.ts';

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
      await interrupted.promise;
      response.end();
    };
    const address = await waitForAddress(service);
    await waitUntil('two are in flight', () => target().received.length === 2);
    service.child.kill('SIGINT');
    const acceptsNone = () =>
      fetch(address).then(
        () => false,
        () => true,
      );
    await waitUntil('it accepts no request', acceptsNone);
    interrupted.resolve();

    assert.equal(await service.ended, 0);
    assert.match(
      service.stdout(),
      /dlo +stopped: 1 pending, 0 processing, 2 succeeded, 0 failed permanently\n$/,
    );
    assert.equal(target().received.length, 2);
  });
});
