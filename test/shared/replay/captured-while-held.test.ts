import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import type { Leased } from '../../../shared/delivery/picker.ts';
import { recover } from '../../../shared/delivery/recover.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import { release } from '../../../shared/delivery/settlement.ts';
import { statuses } from '../../../shared/message/event.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, claimAndDie, endLeases } from '../../support/runs.ts';

describe('an event that is captured again while a replay holds it', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const capture = (facts: Partial<Capture>) =>
    storeCaptures({ db: database().db, repeatSeconds: 600 }, [aCapture(facts)]);
  /** Stores an event, lets a replay claim it, and captures it again. */
  const captureWhileHeld = async (status: string, facts: Partial<Capture> = {}) => {
    await capture({});
    await database().sql('update dlq_events set status = $1', [status]);
    const request = { filter: { status: statuses } };
    const run = await aRun({ db: database().db, routes: [aRouteTo('http://shop/')] }, request);
    const [event] = await claimAndDie(database(), run);
    await capture({ errorReason: 'no such customer', ...facts });
    assert(event);
    return { run, event };
  };
  const releaseHeld = async ({ run, event }: Awaited<ReturnType<typeof captureWhileHeld>>) => {
    const [held] = await database().sql<{ token: string }>('select lease_token as token from dlq_events');
    const lease = { token: held?.token ?? '' };
    const { status, processedAt } = event as unknown as Leased['before'];
    const before = { status, processedAt };
    const settlements = [release({ event, lease, before })];
    await settleEvents(database().db, { runId: run.id, settlements });
  };
  const loseWorker = async () => {
    await endLeases(database());
    await recover({ db: database().db, retry: retryConfig() });
  };
  const read = () =>
    database().sql(
      'select status, failure_count, retry_after <= now() as is_due, processed_at from dlq_events',
    );
  const open = { status: 'PENDING', failure_count: 2, is_due: true, processed_at: null };

  for (const status of ['SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED']) {
    it(`is open if its worker releases it, although it was ${status} before`, async () => {
      await releaseHeld(await captureWhileHeld(status));
      assert.deepEqual(await read(), [open]);
    });

    it(`is open if its worker dies, although it was ${status} before`, async () => {
      await captureWhileHeld(status);
      await loseWorker();
      assert.deepEqual(await read(), [open]);
    });
  }

  it('is not due before its consumer wants it to be, if its worker releases it', async () => {
    await releaseHeld(await captureWhileHeld('PENDING', { retryAfter: 3600 }));
    assert.deepEqual(await read(), [{ ...open, is_due: false }]);
  });

  it('is not due before its consumer wants it to be, if its worker dies', async () => {
    await captureWhileHeld('PENDING', { retryAfter: 3600 });
    await loseWorker();
    assert.deepEqual(await read(), [{ ...open, is_due: false }]);
  });
});
