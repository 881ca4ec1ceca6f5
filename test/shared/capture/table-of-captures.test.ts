import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import type { Stored } from '../../../shared/capture/store-captures.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';
import { redelivery } from '../../support/redelivery.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import {
  type Case,
  type Deliveries,
  deliveries,
  type Expected,
  expectEffect,
  listCases,
  rows,
  runs,
  type Said,
  seed,
  share,
  toCase,
} from '../../support/table-of-captures.ts';

type Row = {
  readonly id: string; readonly status: string; readonly failure_count: number; readonly retry_count: number;
  readonly error_reason: string; readonly source_topic: string | null; readonly priority: number; readonly payload: unknown;
  readonly is_exact: boolean; readonly headers: unknown; readonly captures: number;
}; // biome-ignore format: one line each

describe('two captures of one id', () => {
  const database = useDatabase();
  const contents = { same: '{"n": 1}', other: '{"n": 2}', empty: '' };
  /** In minutes. */
  const publishedAt = { first: -10, later: 3 };

  const toCapture = (
    said: Said,
    at: number,
    days: ReturnType<typeof openDays>,
    latest: number,
  ): Partial<Capture> => ({
    origin: said.kind === 'report' ? 'report' : null,
    body: Buffer.from(said.content === null ? '' : contents[said.content]),
    headers: said.headers === null ? {} : { tenant: said.headers },
    publication:
      said.publication && days.publication(publishedAt[said.publication], `kafka:t/0/${said.publication}`),
    failedAt: said.failedAt && days.at(said.failedAt === 'before' ? Math.min(at, 50) - 2 : at),
    deliveryId: said.deliveryId,
    consumerGroup: said.consumer,
    errorReason: said.reason,
    attempt: latest > 0 ? tellAttempt(said, latest) : null,
  });
  const tellAttempt = ({ attempt, token }: Said, latest: number) =>
    attempt && (token === 'latest' ? latest : latest - 1);

  /** Minute 0: the first captures; 5: those that come soon; 20, 40 and 60: deliveries, the last is accepted; 65: the others. */
  async function play(cases: readonly Case[]) {
    await database().sql('truncate dlq_events, dlq_captures, dlq_attempts');
    const days = openDays(database);
    const key = (index: number) => ({ eventKey: `id:${index}`, eventId: `${index}` });
    const firsts = await days.captureAll(
      cases.map(({ first }, i) => ({
        ...toCapture(first, 0, days, 0),
        ...key(i),
        deliveryId: ownDelivery(first, i, 1),
        sourceTopic: 'a',
      })),
    );
    const before: (Row | undefined)[] = [];
    const stored: (Stored | undefined)[] = [];
    const tell = async (isNow: (count: Deliveries) => boolean) => {
      const places = cases.flatMap(({ deliveries: count }, i) => (isNow(count) ? [i] : []));
      const shown = await show(places.map((i) => firsts[i]?.id ?? ''));
      const tokens = new Map(
        (
          await database().sql<{ id: string; redelivery: string }>(
            `select id, ${redelivery} as redelivery from dlq_events`,
          )
        ).map((row) => [row.id, row.redelivery]),
      );
      const results = await days.captureAll(
        places.map((i) => {
          const { second, deliveries: count } = cases[i] as Case;
          return {
            ...toCapture(second, days.now(), days, Number(count)),
            ...key(i),
            deliveryId: ownDelivery(second, i, 2),
            sourceTopic: 'b',
            priority: 9,
            redelivery: second.token === null ? null : (tokens.get(firsts[i]?.id ?? '') ?? null),
          };
        }),
      );
      places.forEach((place, index) => {
        before[place] = shown.get(firsts[place]?.id ?? '');
        stored[place] = results[index];
      });
    };
    await days.pass(5);
    await tell((count) => count === 'soon');
    await days.pass(15);
    const from = (least: number) =>
      firsts.flatMap(({ id }, i) => (Number(cases[i]?.deliveries) >= least ? [id] : []));
    for (const least of [3, 2]) {
      await days.deliver(from(least), false);
      await days.pass(20);
    }
    await days.deliver(from(1));
    await days.pass(5);
    await tell((count) => count !== 'soon');
    const after = await show(firsts.map(({ id }) => id));
    return cases.map((each, i) => ({
      each,
      before: before[i],
      stored: stored[i],
      after: after.get(firsts[i]?.id ?? ''),
    }));
  }

  const ownDelivery = ({ deliveryId }: Said, index: number, side: number) =>
    deliveryId === null ? null : deliveryId === 'same' ? `same-${index}` : `other-${index}-${side}`;

  async function show(ids: readonly string[]): Promise<Map<string, Row>> {
    const found = await database().sql<Row>(
      `select id, status, failure_count, retry_count, error_reason, source_topic, priority, payload, is_exact, headers,
        (select count(*)::int from dlq_captures where event_id = event.id) as captures
       from dlq_events as event where id = any ($1)`,
      [ids],
    );
    return new Map(found.map((row) => [row.id, row]));
  }

  /** The event as the table has it, from its state before. */
  function expectRow(each: Case, expected: Expected, before: Row) {
    if (['repetition', 'conflict'].includes(expected.effect)) return before;
    return { ...before, ...expectState(each, expected, before), ...expectMessage(each, expected, before) };
  }

  function expectState(each: Case, { effect, completes }: Expected, before: Row) {
    const isCounted = effect === 'recurrence' || effect === 'another';
    const opens = isCounted || completes;
    const retries = completes ? 0 : before.retry_count;
    return {
      ...expectDecision(each, opens || (effect === 'voice' && isFirstReport(each)), before),
      status: opens ? 'PENDING' : before.status,
      failure_count: before.failure_count + Number(isCounted),
      retry_count: effect === 'another' ? 0 : retries + Number(effect === 'recurrence'),
      source_topic: completes ? 'b' : 'a',
    };
  }

  function expectDecision({ first, second }: Case, decides: boolean, { error_reason }: Row) {
    const takes = decides || first.reason === null;
    return {
      error_reason: (takes ? second.reason : null) ?? error_reason,
      priority: decides ? 9 : 0,
    };
  }

  function isFirstReport({ first, second, deliveries: count }: Case): boolean {
    const isTold = second.content !== null && second.token === null;
    return first.kind === 'message' && second.kind === 'report' && isTold && typeof count !== 'number';
  }

  /** A message makes a report exact; the first content of an event completes it. */
  function expectMessage({ first, second }: Case, { completes }: Expected, { payload }: Row) {
    const isMadeExact = first.kind === 'report' && second.kind === 'message' && second.token === null;
    if (!completes && !isMadeExact) return {};
    return {
      payload: completes && second.content ? JSON.parse(contents[second.content] || 'null') : payload,
      is_exact: second.kind === 'message',
      headers: second.headers === null ? {} : { tenant: second.headers },
    };
  }

  const withoutCaptures = ({ captures, ...row }: Row) => row;

  function check({ each, before, stored, after }: Awaited<ReturnType<typeof play>>[number]) {
    assert.ok(before && stored && after, each.title);
    const expected = expectEffect(each);
    const { captures, ...row } = after;
    const isApart = expected.effect === 'conflict';
    assert.deepEqual(
      { ...row, isJoined: stored.id === row.id, isNew: stored.isNew, conflict: stored.conflictsWith },
      {
        ...withoutCaptures(expectRow(each, expected, before)),
        isJoined: !isApart,
        isNew: isApart,
        conflict: isApart ? row.id : null,
      },
      `seed ${seed}, ${each.title}: ${JSON.stringify({ expected, first: each.first, second: each.second, before })}`,
    );
    if (expected.effect === 'repetition' || isApart) assert.equal(captures, before.captures, each.title);
  }

  it('has in each row the effect that the table says', () => {
    for (const [row, [first, change, before, after]] of Object.entries(rows)) {
      for (const count of deliveries) {
        if (count === 'late') continue;
        const { effect } = expectEffect(toCase(row, first, { ...first, ...change }, count));
        const isTold = count === 'soon' ? before : after;
        assert.equal(effect, isTold, `${row}, ${count}`);
      }
    }
  });

  it('have the effect of their row, whatever either leaves out, before and after each delivery', async () => {
    const random = seededRandom(seed);
    for (const each of await play(listCases().filter(() => random() < share))) check(each);
  });

  it('have it in any combination of facts', async () => {
    const random = seededRandom(seed);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const say = (reason: string): Said => ({
      kind: pick(['message', 'report']), content: pick(['same', 'same', 'other', null]), headers: pick(['same', 'same', 'other', null]),
      token: pick(['latest', 'older', null, null]), attempt: pick([true, null]), publication: pick(['first', 'later', null]),
      failedAt: pick(['before', 'after', null]), deliveryId: pick(['same', 'other', null]), consumer: pick(['billing', null]),
      reason: pick([reason, null]),
    }); // biome-ignore format: one line each
    const cases = Array.from({ length: runs }, (_, i) =>
      toCase(`${i}`, say('first'), say('second'), pick(deliveries)),
    );
    for (const each of await play(cases)) check(each);
  });
});
