import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import type { Stored } from '../../../shared/capture/store-captures.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';
import { seededRandom } from '../../support/seeded-random.ts';

// The table of docs/capture.md: two captures, in either order, with every fact left out on either side, before a delivery
// and after a first, second and third one. What is right is written here in words of the table, not of the SQL.

/** How many combinations are drawn; from 1,000 on the table is played whole, else a tenth of it. */
const runs = Number(process.env.CAPTURE_RUNS ?? 200);
const share = runs >= 1000 ? 1 : 0.1;
const seed = Number(process.env.CAPTURE_SEED ?? 1 + (Date.now() % 100_000));

/** What one capture says. Null is a fact that is left out. */
type Said = {
  readonly kind: 'message' | 'report';
  /** `none` of a report is a report without content. */
  readonly content: 'same' | 'other' | 'empty' | null;
  readonly headers: 'same' | 'other' | null;
  readonly token: 'latest' | 'older' | null;
  /** Without it a token tells no number. */
  readonly attempt: true | null;
  readonly publication: 'first' | 'later' | null;
  /** Whether it failed before or after the latest delivery. */
  readonly failedAt: 'before' | 'after' | null;
  readonly deliveryId: 'same' | 'other' | null;
  readonly consumer: 'billing' | null;
  readonly reason: string | null;
};
type Effect = 'repetition' | 'conflict' | 'adds' | 'voice' | 'recurrence' | 'another';
type Expected = { readonly effect: Effect; readonly completes: boolean };
/** `soon`: before a delivery, within REPEAT_SECONDS; `late`: after them. */
type Deliveries = 'soon' | 'late' | 1 | 2 | 3;

const all: Said = {
  kind: 'message', content: 'same', headers: 'same', token: null, attempt: true, publication: null, failedAt: null,
  deliveryId: null, consumer: 'billing', reason: 'first',
}; // biome-ignore format: one line each
const report: Said = { ...all, kind: 'report' };
const second = (facts: Partial<Said>): Partial<Said> => ({ reason: 'second', ...facts });

/** Each row of the table with captures that tell all, and its effect before and after a delivery. */
const rows: Record<string, readonly [first: Said, second: Partial<Said>, before: Effect, after: Effect]> = {
  'the same delivery': [{ ...all, deliveryId: 'same' }, { deliveryId: 'same' }, 'repetition', 'repetition'],
  'the same delivery of a report': [{ ...report, deliveryId: 'same' }, { deliveryId: 'same' }, 'repetition', 'repetition'],
  'other content': [all, second({ content: 'other' }), 'conflict', 'conflict'],
  'other content of a report': [all, second({ kind: 'report', content: 'other' }), 'conflict', 'conflict'],
  'other own headers': [all, second({ headers: 'other' }), 'conflict', 'conflict'],
  'other own headers of a report': [report, second({ headers: 'other' }), 'conflict', 'conflict'],
  'an empty message': [{ ...all, content: 'empty' }, second({ content: 'empty' }), 'voice', 'recurrence'],
  'an empty message with a known id': [all, second({ content: 'empty' }), 'conflict', 'conflict'],
  'no content': [all, second({ kind: 'report', content: null }), 'adds', 'adds'],
  'the first content': [{ ...report, content: null }, second({ kind: 'message', content: 'same' }), 'voice', 'recurrence'],
  'the first content, of a report': [{ ...report, content: null }, second({ content: 'same' }), 'voice', 'recurrence'],
  'the copy of a report': [report, second({ kind: 'message', publication: 'first' }), 'voice', 'voice'],
  'the report of a copy': [{ ...all, publication: 'first' }, second({ kind: 'report', publication: 'first' }), 'voice', 'voice'],
  'an older delivery': [all, second({ token: 'older' }), 'voice', 'voice'],
  'an older failure': [all, second({ kind: 'report', failedAt: 'before' }), 'voice', 'voice'],
  'our latest delivery': [all, second({ token: 'latest' }), 'voice', 'recurrence'],
  'our latest delivery, of a report': [all, second({ kind: 'report', token: 'latest' }), 'voice', 'recurrence'],
  'our latest delivery, with other content': [all, second({ token: 'latest', content: 'other' }), 'conflict', 'recurrence'],
  'our latest delivery, without content': [all, second({ kind: 'report', content: null, token: 'latest' }), 'adds', 'recurrence'],
  'another publication': [{ ...all, publication: 'first' }, second({ publication: 'later' }), 'another', 'another'],
  'a publication after a report': [report, second({ kind: 'message', publication: 'later' }), 'another', 'another'],
  'a delivery that is not told': [report, second({}), 'voice', 'recurrence'],
}; // biome-ignore format: one line each

const deliveries: readonly Deliveries[] = ['soon', 'late', 1, 2, 3];
const facts = [
  'content',
  'token',
  'attempt',
  'publication',
  'failedAt',
  'deliveryId',
  'consumer',
  'reason',
  'headers',
] as const;

type Case = {
  readonly title: string;
  readonly first: Said;
  readonly second: Said;
  readonly deliveries: Deliveries;
};

type Pair = { readonly title: string; readonly first: Said; readonly second: Said };

function listCases(): Case[] {
  const pairs = Object.entries(rows).flatMap(([row, [first, change]]) => {
    const second = { ...first, ...change };
    return [
      ...omitEachFact({ title: `${row}, in order`, first, second }),
      ...omitEachFact({ title: `${row}, reversed`, first: second, second: first }),
    ];
  });
  return pairs.flatMap(({ title, first, second }) =>
    deliveries.map((count) => toCase(`${title}, ${count}`, first, second, count)),
  );
}

function omitEachFact({ title, first, second }: Pair): Pair[] {
  const omissions = facts.flatMap((fact) => [
    { title: `${title}, without ${fact} of 1`, first: { ...first, [fact]: null }, second },
    { title: `${title}, without ${fact} of 2`, first, second: { ...second, [fact]: null } },
  ]);
  return [{ title: `${title}, all told`, first, second }, ...omissions];
}

/** The first capture has no token, and nothing that was not sent has one. An empty message is content. */
function toCase(title: string, first: Said, second: Said, count: Deliveries): Case {
  const clean = (said: Said): Said =>
    said.kind === 'message' && said.content === null ? { ...said, content: 'empty' } : said;
  const token = typeof count === 'number' ? second.token : null;
  return {
    title,
    first: clean({ ...first, token: null }),
    second: clean({ ...second, token }),
    deliveries: count,
  };
}

/** Three questions: which message, which delivery, which failure? */
function expectEffect({ first, second, deliveries: count }: Case): Expected {
  const isMute = second.content === null && second.token === null;
  const completes = first.content === null && second.content !== null;
  const isOtherContent =
    first.content !== null && second.content !== null && first.content !== second.content;
  // Between two messages a header that is not there is another one; a report may leave it out.
  const mayOmit = first.kind === 'report' && (first.headers === null || second.headers === null);
  const isOtherHeaders = first.kind === second.kind && first.headers !== second.headers && !mayOmit;
  if (second.token === null && (isOtherContent || isOtherHeaders))
    return { effect: 'conflict', completes: false };
  const isSameDelivery =
    second.deliveryId === 'same' && first.deliveryId === 'same' && first.content !== null;
  if (isSameDelivery && !isOtherContent && !isOtherHeaders) return { effect: 'repetition', completes: false };
  if (isMute) return { effect: 'adds', completes: false };
  if (completes && typeof count !== 'number') return { effect: 'voice', completes };
  return { effect: judge(first, second, count), completes };
}

function judge(first: Said, second: Said, count: Deliveries): Effect {
  const isDelivered = typeof count === 'number';
  if (second.token !== null) {
    const number = second.attempt === null ? count : second.token === 'latest' ? count : 0;
    return number === count ? 'recurrence' : 'voice';
  }
  if (isDelivered && second.failedAt === 'before') return 'voice';
  if (second.publication !== null) return judgePublication(first, second, count);
  if (isDelivered) return 'recurrence';
  return count === 'soon' ? 'voice' : 'another';
}

function judgePublication(first: Said, second: Said, count: Deliveries): Effect {
  if (first.publication !== second.publication)
    return first.publication === null && second.publication === 'first' ? 'voice' : 'another';
  // A broker that gives up twice, more than ten minutes apart, was rewound.
  const isGivenUpTwice = first.kind === 'message' && second.kind === 'message' && count !== 'soon';
  return isGivenUpTwice ? 'another' : 'voice';
}

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
            'select id, dlq_redelivery(id, redelivery_token) as redelivery from dlq_events',
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

  /** What the table says of the event, from what it was before. */
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
