import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { sample } from '../../support/sample.ts';

/** Captures with one id. Facts that are not stated are those of the broker's exact copy. */
const kinds = {
  "the broker's exact copy": {},
  'a report with equal JSON': { contentRank: 1, body: Buffer.from('{"total":1.5}') },
  'a report with the bytes': { contentRank: 2 },
  'a report without content': { contentRank: 0, body: Buffer.alloc(0) },
  'a copy without a type': { eventType: 'unknown', isTypeTold: false },
  'a report without a type': { contentRank: 1, eventType: 'unknown', isTypeTold: false },
  'a copy with equal JSON': { body: Buffer.from('{"total":1.5}') },
  'a copy with other content': { body: Buffer.from('{"total": 2}') },
  'a report with other content': { contentRank: 1, body: Buffer.from('{"total": 3}') },
  'a copy of another type': { eventType: 'order.cancelled' },
  'a report of another topic': { contentRank: 1, sourceTopic: 'payments' },
} as const satisfies Record<string, Partial<Capture>>;

const common: Partial<Capture> = {
  eventKey: 'id:order-1',
  body: Buffer.from('{"total": 1.50}'),
  sourceTopic: 'orders',
};

const states = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'DISCARDED', 'FAILED_PERMANENTLY', 'archived'] as const;

describe('two captures with one id:', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql(text, values);
  const store = async (capture: Capture) => {
    const deps = { db: database().db, maxRecurrences: 3, repeatSeconds: 600 };
    const [stored] = await storeCaptures(deps, [capture]);
    return stored ?? assert.fail('nothing was stored');
  };
  const enter = async (state: (typeof states)[number]) => {
    if (state !== 'archived') return sql('update dlq_events set status = $1', [state]);
    await sql(`update dlq_events set status = 'SUCCEEDED'`);
    return sql(
      'with moved as (delete from dlq_events returning *) insert into dlq_events_archive select * from moved',
    );
  };
  const rowOf = async (id: string) => {
    const [row] = await sql('select * from dlq_events where id = $1', [id]);
    return row;
  };

  beforeEach(() => database().clear());

  const pairs = Object.entries(kinds).flatMap((one) =>
    Object.entries(kinds).flatMap((other) => states.map((state) => [one, other, state] as const)),
  );
  for (const [[firstKind, firstFacts], [secondKind, secondFacts], state] of sample(pairs)) {
    const first = aCapture({ ...common, ...firstFacts, deliveryId: 'first', errorReason: 'timeout' });
    const second = aCapture({ ...common, ...secondFacts, deliveryId: 'second', errorReason: 'no stock' });
    it(`${firstKind} (${state}), then ${secondKind}: ${expect(first, second, state).outcome}`, async () => {
      const { id } = await store(first);
      await enter(state);
      const before = await rowOf(id);
      const stored = await store(second);
      const row = await rowOf(id);
      const { outcome, ...columns } = expect(first, second, state);

      if (outcome === 'one event') {
        assert.deepEqual(stored, { id, isNew: false, conflictsWith: null });
        const { body, event_type, status, failure_count } = row ?? {};
        assert.deepEqual({ body, event_type, status, failure_count }, columns);
        return;
      }
      const conflictsWith = outcome === 'two events' ? id : null;
      assert.deepEqual(stored, { id: stored.id, isNew: true, conflictsWith });
      assert.deepEqual(row, before);
      const { body, metadata } = (await rowOf(stored.id)) ?? {};
      assert.deepEqual([body, metadata], [second.body, conflictsWith && { conflictsWith }]);
    });
  }

  const repetitions = Object.entries(kinds).flatMap((kind) =>
    states.slice(0, -1).map((state) => [kind, state] as const),
  );
  for (const [[kind, facts], state] of sample(repetitions)) {
    it(`${kind} (${state}), repeated twelve times, changes nothing`, async () => {
      const capture = aCapture({ ...common, ...facts, deliveryId: 'first', errorReason: 'timeout' });
      const { id } = await store(capture);
      await enter(state);
      const before = await rowOf(id);
      await Promise.all(Array.from({ length: 12 }, () => store(capture)));

      assert.deepEqual(await rowOf(id), before);
    });
  }
});

/** What the rules of docs/capture.md say of a pair. */
function expect(first: Capture, second: Capture, state: string) {
  if (state === 'archived') return { outcome: 'a new event' } as const;
  const isEmpty = first.body.length === 0 || second.body.length === 0;
  const hasSameContent = isEmpty || toJson(first) === toJson(second);
  const hasSameType = first.eventType === second.eventType || !(first.isTypeTold && second.isTypeTold);
  if (!hasSameContent || !hasSameType || first.sourceTopic !== second.sourceTopic)
    return { outcome: 'two events' } as const;
  const isCopyOfReport = second.contentRank >= 3 && first.contentRank < 3;
  const hasRecurred = state !== 'PENDING' && !isCopyOfReport;
  return {
    outcome: 'one event',
    body: second.contentRank > first.contentRank ? second.body : first.body,
    event_type: first.isTypeTold ? first.eventType : second.eventType,
    status: hasRecurred && state !== 'PROCESSING' ? 'PENDING' : state,
    failure_count: hasRecurred ? 2 : 1,
  } as const;
}

function toJson({ body }: Capture): string {
  return JSON.stringify(JSON.parse(body.toString()));
}
