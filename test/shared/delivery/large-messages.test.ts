import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, it } from 'node:test';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useFunction } from '../../support/framework.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { endLeases } from '../../support/runs.ts';
import { itTriesOne } from '../../support/sample.ts';
import { waitUntil } from '../../support/wait-until.ts';

const megabyte = 2 ** 20;

describe('events with large messages', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const worker = useFunction('retry', () => ({
    DATABASE_URL: database().url,
    BATCH_SIZE: '1000',
    ROUTES: JSON.stringify([{ target: { kind: 'http', url: target().url }, policy: { concurrency: 50 } }]),
  }));
  const tick = () => runTick({ db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] });
  const count = async (table: string) => (await database().sql(`select from ${table}`)).length;
  beforeEach(() => database().clear());
  /** Events with a message of `bytes`, all alike, which PostgreSQL does not try to compress for long. */
  const largeEvents = async (events: number, bytes: number) => {
    const block = `(select string_agg(md5(n::text), '') from generate_series(1, 4096) as n)`;
    const body = `substring(decode(repeat(${block}, ${bytes} / 65536 + 1), 'hex') for ${bytes})`;
    const [row] = await database().sql<{ digest: string }>(
      `with message as materialized (select ${body} as body),
       event as (insert into dlq_events (event_type, payload, body, answer)
         select 'export', '{}', body, 'timeout' from message, generate_series(1, ${events}))
       select encode(sha256(body), 'hex') as digest from message`,
    );
    return row?.digest;
  };

  // Each reads and hashes, or builds, tens of megabytes.
  itTriesOne('large messages', {
    'of 10 MB each, a thousand to a claim, take a worker less than 256 MB, and arrive byte for byte':
      async () => {
        const digest = await largeEvents(6, 10 * megabyte);
        const digests = new Set<string>();
        target().answer = (request, response) => {
          digests.add(createHash('sha256').update(request.body).digest('hex'));
          target().received.length = 0;
          response.end();
        };
        const answer = await fetch(worker().url, { method: 'POST' });
        const { tally } = (await answer.json()) as { tally: Record<string, number> };
        assert.deepEqual([tally.delivered, [...digests]], [6, [digest]]);
        const status = readFileSync(`/proc/${worker().child.pid}/status`, 'utf8');
        const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1000;
        assert.ok(peak < 256, `The peak of its resident memory was ${peak} MB.`);
      },

    'lose a retry if their worker is killed only once they were sent, not while they wait for memory':
      async () => {
        await largeEvents(2, 10 * megabyte);
        await manyEvents(database(), 3);
        target().answer = () => {};
        const broken = assert.rejects(fetch(worker().url, { method: 'POST' }));
        await waitUntil(
          'the target has a large message and the small ones',
          () => target().received.length === 4,
        );
        assert.equal(await count('dlq_leases cross join unnest(event_ids) where target is not null'), 4);
        worker().child.kill('SIGKILL');
        await Promise.all([once(worker().child, 'exit'), broken]);
        target().answer = (_, response) => response.end();
        await database().sql('update dlq_run_workers set heartbeat_at = default');
        await endLeases(database());
        const { tally } = await tick();
        assert.deepEqual([tally.lost, tally.delivered], [4, 5]);
      },

    'are not read if they take more than a worker can hold, and fail permanently': async () => {
      await anEvent(database());
      await database().sql(
        // The planner would build the value of a constant, too.
        `update dlq_events set headers = jsonb_build_object('big', repeat('x', bytes))
         from generate_series(${64 * megabyte}, ${64 * megabyte}) as bytes`,
      );
      const { tally } = await tick();
      assert.deepEqual([tally.failedPermanently, target().received.length], [1, 0]);
      const [event] = await database().sql('select status, answer from dlq_events');
      assert.equal(event?.status, 'FAILED_PERMANENTLY');
      const reason =
        /^Not sent: the message takes 268,435,\d\d\d bytes, and a worker reads up to 268,435,456 bytes\.$/;
      assert.match(String(event?.answer), reason);
    },
  });

  it('of small size follow one another, each with its own message, however many there are', async () => {
    await largeEvents(80, 30_000);
    await manyEvents(database(), 20);
    const sizes = new Map<number, number>();
    target().answer = ({ body }, response) => {
      sizes.set(body.length, (sizes.get(body.length) ?? 0) + 1);
      response.end();
    };
    assert.equal((await tick()).tally.delivered, 100);
    assert.equal(sizes.get(30_000), 80);
  });
});
