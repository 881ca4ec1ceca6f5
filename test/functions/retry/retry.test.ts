import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TickDone } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { type DatabaseLink, openDatabaseLink } from '../../support/database-link.ts';
import { anEvent } from '../../support/factories.ts';
import { serveFunction, useFunction } from '../../support/framework.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('the retry function', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  let link: DatabaseLink;
  before(async () => {
    link = await openDatabaseLink(database().url);
  });
  after(() => link.cut());
  const env = () => ({
    DATABASE_URL: link.url,
    ROUTES: JSON.stringify([{ target: { kind: 'http', url: target().url } }]),
  });
  const retry = useFunction('retry', env);
  const post = () => fetch(retry().url, { method: 'POST' });

  it('runs a tick on POST, and answers with the tally', async () => {
    await anEvent(database());
    const response = await post();

    const { stopped, tally } = (await response.json()) as TickDone;
    assert.deepEqual([response.status, stopped, tally.delivered], [200, 'nothing due', 1]);
  });

  it('logs its work in one line', async () => {
    await post();

    assert.match(
      retry().output(),
      /\{"severity":"INFO","message":"claimed 0 \(nothing due\)","action":"tick"/,
    );
  });

  for (const method of ['GET', 'PUT', 'DELETE']) {
    it(`rejects ${method} and names the allowed method`, async () => {
      const response = await fetch(retry().url, { method });

      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
      assert.deepEqual(await response.json(), {
        status: 405,
        title: 'Method Not Allowed',
        detail: 'Use POST.',
        code: 'METHOD_NOT_ALLOWED',
      });
    });
  }

  it('answers 503 while the database is unavailable, and recovers without a restart', async () => {
    await link.cut();
    const response = await post();
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5']);
    assert.match(await response.text(), /The database is unavailable/);

    await link.mend();
    assert.equal((await post()).status, 200);
  });

  it('delivers while an aggregation of counts waits for a lock', async () => {
    await anEvent(database());
    let ticking: Promise<Response> | undefined;
    await whileTransactionIsOpen(database().url, 'lock table dlq_counts in share mode', async () => {
      ticking = post();
      await waitUntil('the event is delivered', () => target().received.length === 1);
    });

    assert.equal((await ticking)?.status, 200);
  });

  it('settles a delivery on another connection when the database went silent during it', async () => {
    await database().clear('dlq_events');
    await anEvent(database());
    target().answer = (_, response) => {
      link.freeze();
      response.end();
    };
    // The response says whether the database was silent to another statement of the tick, too.
    await post();

    const events = await database().sql('select status from dlq_events');
    assert.deepEqual(events, [{ status: 'SUCCEEDED' }]);
  });

  it('logs what a schema of another version lacks, without showing it to the caller', async () => {
    const { sql } = database();
    await sql('alter table dlq_runs rename to hidden_runs');
    const response = await post();
    await sql('alter table hidden_runs rename to dlq_runs');

    assert.equal(response.status, 503);
    assert.doesNotMatch(await response.text(), /dlq_runs/);
    assert.match(
      retry().output(),
      /"severity":"ERROR","message":"The schema of the database.*"cause":"error: relation \\"(public\.)?dlq_runs\\" does not exist/,
    );
  });

  it('delivers nothing while retries are switched off', async () => {
    await anEvent(database());
    const off = await serveFunction('retry', { ...env(), RETRY_ENABLED: 'false' });
    const response = await fetch(off.url, { method: 'POST' }).finally(off.stop);

    assert.match(await response.text(), /"stopped":"retries are switched off \(RETRY_ENABLED\)"/);
    const rows = await database().sql("select from dlq_events where status = 'PENDING'");
    assert.deepEqual([target().received.length, rows.length], [0, 1]);
  });

  it('does not start with an invalid configuration, and reports every problem', async () => {
    const start = serveFunction('retry', { BATCH_SIZE: 'many', ROUTES: '{}' }).then(({ stop }) => stop());

    await assert.rejects(start, /has 3 problems:.*DATABASE_URL.*ROUTES.*BATCH_SIZE = "many"/s);
  });
});
