import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { hopHeaders } from '../../shared/message/failure-headers.ts';
import { aCapture } from '../support/captures.ts';
import { useDatabase } from '../support/database.ts';
import { fixtureHeaders } from '../support/fixture-headers.ts';

describe('the headers of a message itself, as captures are compared by them,', () => {
  const database = useDatabase();

  it('are the same in reports of HTTP and of SQL: without those of each hop', async () => {
    const hops = fc.sample(fc.stringMatching(new RegExp(hopHeaders.source.replaceAll('.*', 'x'))), {
      numRuns: 300,
      seed: 3,
    });
    const others = ['tenant', 'data', 'x-real-ip-2', 'fromage', 'dlo', ...fixtureHeaders().flat()];
    const names = [...new Set([...hops, ...others, 'Via', 'DLO-x'])].filter((name) => /^[!-~]+$/.test(name));
    await database().sql(`select dlq_capture('order.created', '{}', headers => $1)`, [
      JSON.stringify(Object.fromEntries(names.map((name) => [name, 'x']))),
    ]);
    const [row] = await database().sql<{ passing: readonly string[] }>(
      `select arrival -> 'passing' as passing from dlq_events`,
    );

    const isKept = (name: string) => row?.passing.includes(name) ?? false;
    const expected = names.filter((name) => hopHeaders.test(name));
    assert.ok(expected.length > 30 && expected.length < names.length);
    assert.deepEqual(names.filter(isKept), expected);
  });

  it('are the same for two copies that only count their failures, in headers of any format', async () => {
    const store = (headers: Record<string, string>) =>
      storeCaptures({ db: database().db, repeatSeconds: 600 }, [
        aCapture({ eventKey: `id:${headers.id}`, headers }),
      ]);
    const celery = { id: 'task-1', task: 'charge', root_id: 'task-1' };
    const [first] = await store({ ...celery, retries: '1' });
    const [second] = await store({ ...celery, retries: '2' });
    const [other] = await store({ ...celery, task: 'refund', retries: '2' });

    assert.deepEqual([second?.isNew, second?.id], [false, first?.id]);
    assert.deepEqual([other?.isNew, other?.conflictsWith], [true, first?.id]);
  });
});
