import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { migrate } from '../../migrations/migrate.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import type { DeliveryDeps } from '../../shared/delivery/delivery-deps.ts';
import { changeRun, getRun } from '../../shared/replay/run.ts';
import { runTick } from '../../shared/schedule/run-tick.ts';
import { restoreServer, type Server, startServer } from '../support/backup.ts';
import { aCapture } from '../support/captures.ts';
import { findBlock } from '../support/guide.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { aRouteTo, retryConfig } from '../support/routes.ts';
import { aRun, endLeases } from '../support/runs.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('a database restored to a moment at which workers were delivering', () => {
  const target = useHttpTarget();
  const sent: Record<string, string[]> = { old: [], restored: [] };
  let deployment = 'old';
  let folder: string;
  const servers: Server[] = [];
  const databases: Database[] = [];
  let restored: Database;
  let runId: string;
  let ambiguous: { event_id: string }[];
  const begun = ['begun-1', 'begun-2', 'begun-3', 'begun-4', 'begun-5'];

  const open = (url: string) => {
    const db = openDatabase({ kind: 'url', url, poolMax: 8 }, 'a deployment');
    databases.push(db);
    return db;
  };
  const capture = async (db: Database, name: string, count: number, columns = '') => {
    const captures = Array.from({ length: count }, (_, i) => {
      const eventId = `${name}-${i + 1}`;
      return aCapture({
        eventKey: `id:${eventId}`,
        eventId,
        eventType: name,
        body: Buffer.from(`"${eventId}"`),
      });
    });
    const stored = await storeCaptures({ db, repeatSeconds: 600 }, captures);
    const text = `update dlq_events set retry_after = now() ${columns} where id = any ($1)`;
    await db.query({ text, values: [stored.map(({ id }) => id)] });
    return stored;
  };
  const deps = (db: Database): DeliveryDeps => ({
    db,
    // The copy of a server takes its time, and the target answers after it.
    routes: [aRouteTo(target().url, { policy: { timeoutSeconds: 300 } })],
    retry: retryConfig({ leaseSeconds: 600 }),
  });
  /** The attempts of the events of a type, by event. */
  const attemptsOf = async (name: string) => {
    const text = `select array_agg(outcome order by attempt.id) as outcomes
      from dlq_events as event left join dlq_attempts as attempt on attempt.event_id = event.id
      where event_type = $1 group by event.id`;
    return (await restored.query<{ outcomes: string[] }>({ text, values: [name] })).rows.map(
      (row) => row.outcomes,
    );
  };

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'dlo-restore-'));
    await chmod(folder, 0o711);
    const server = await startServer(folder);
    servers.push(server);
    await migrate(server.url);
    const db = open(server.url);
    target().answer = ({ body }, response) => {
      sent[deployment]?.push(JSON.parse(body.toString()));
      response.end();
    };
    await capture(db, 'settled', 20);
    await runTick(deps(db));
    await capture(db, 'replayed', 10, `, status = 'FAILED_PERMANENTLY'`);
    const filter = { eventType: 'replayed' };
    runId = (await aRun(deps(db), { filter, pace: 'careful' })).id;
    await runTick(deps(db));
    const waiting: (() => void)[] = [];
    target().answer = ({ body }, response) => {
      sent[deployment]?.push(JSON.parse(body.toString()));
      waiting.push(() => response.end());
    };
    await capture(db, 'begun', 5);
    const ticking = runTick(deps(db));
    await waitUntil('five deliveries have begun', () => waiting.length === 5);

    servers.push(await restoreServer(server, folder));
    for (const answer of waiting) answer();
    await ticking;
    await server.stop();

    deployment = 'restored';
    restored = open(servers[1]?.url ?? '');
    const query = { text: findBlock('docs/operate.md', 'dlq_leases') };
    ambiguous = (await restored.query<{ event_id: string }>(query)).rows;
    target().answer = ({ body }, response) => {
      sent[deployment]?.push(JSON.parse(body.toString()));
      response.end();
    };
    // The leases and the slot of the old deployment end.
    await endLeases({ sql: (text) => restored.query({ text }) });
    await restored.query({ text: 'update dlq_run_workers set heartbeat_at = default' });
    await runTick(deps(restored));
  });
  after(async () => {
    await Promise.all(databases.map((db) => db.close()));
    await Promise.all(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  const sentTo = (name: string) => (sent.restored ?? []).filter((each) => each.startsWith(name)).sort();

  it('delivers nothing that was settled before', () => {
    assert.deepEqual(sentTo('settled'), []);
  });

  it('lists the events whose delivery had begun, by the query of the guide', () => {
    assert.deepEqual(ambiguous.map(({ event_id }) => event_id).sort(), begun);
  });

  it('delivers those events again after their leases, with an attempt that says that its outcome is unknown', async () => {
    assert.deepEqual(sentTo('begun'), begun);
    assert.deepEqual(
      await attemptsOf('begun'),
      begun.map(() => ['lost', 'delivered']),
    );
  });

  it('continues a replay with the events that it had not delivered', async () => {
    await changeRun(restored, 'resume', { runId, actor: 'ada', reason: null });
    await runTick(deps(restored));

    assert.equal((await getRun(restored, runId)).delivered, 10);
    const sentNow = target().received.map(({ body }) => JSON.parse(body.toString()));
    const replayed = [...(sent.old ?? []), ...sentNow].filter((name) => name.startsWith('replayed'));
    assert.deepEqual([replayed.length, new Set(replayed).size], [10, 10]);
  });

  it('recognizes a message that it has when Pub/Sub sends it again', async () => {
    const stored = await capture(restored, 'settled', 20);
    assert.deepEqual(
      stored.filter(({ isNew }) => isNew),
      [],
    );
  });
});
