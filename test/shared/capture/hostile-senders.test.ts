import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useCapture } from '../../support/capture.ts';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';
import { pickVariant } from '../../support/sample.ts';

type Stored = { readonly id: string; readonly isNew: boolean; readonly conflict?: string };
type Headers = Record<string, string>;
type Said = {
  readonly error: { readonly message: string; readonly class?: string; readonly kind?: string };
  readonly source?: { readonly topic: string; readonly consumerGroup?: string; readonly key?: string };
  readonly eventType?: string;
  readonly retryAfter?: number;
  readonly priority?: number;
  readonly maxRetries?: number;
  readonly failedAt?: string;
  readonly occurredAt?: string;
  readonly headers?: Headers;
  readonly metadata?: Record<string, string>;
};

const json = { 'content-type': 'application/json' };
const payload = { orderId: 1 };

describe('a sender that knows the id of an event of others, but not its content', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  let count = 0;

  const post = async (body: unknown, headers: Headers = json): Promise<Stored[]> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(capture().url, { method: 'POST', headers, body: text });
    assert.equal(answer.status, 200, await answer.clone().text());
    return ((await answer.json()) as { events: Stored[] }).events;
  };
  const postOne = async (body: unknown, headers?: Headers): Promise<Stored> => {
    const [stored] = await post(body, headers);
    assert.ok(stored);
    return stored;
  };

  /** The report of the consumer itself. */
  const honest = (eventId: string) => ({
    eventType: 'order.created', eventId, payload, error: { message: 'no stock', class: 'OutOfStock' }, headers: { tenant: 'a' },
    source: { kind: 'kafka', topic: 'orders', key: 'k', consumerGroup: 'billing' },
  }); // biome-ignore format: one line each

  const again = { error: { message: 'again' } };
  /** The report of an attacker about the message of others, as members. */
  const attacks: Record<string, Said> = {
    'that it failed permanently': { error: { message: 'gone', class: 'Gone', kind: 'permanent' } },
    'any failure': again,
    'another topic': { ...again, source: { topic: 'payments' } },
    'another topic and consumer': { ...again, source: { topic: 'payments', consumerGroup: 'billing', key: 'other' } },
    'another type': { ...again, eventType: 'payment.failed' },
    'to wait for a year, last of all': { ...again, retryAfter: 31_000_000, priority: 32_767 },
    'no retries': { ...again, maxRetries: 0 },
    'a later failure': { ...again, failedAt: new Date(Date.now() + 3_600_000).toISOString() },
    'other headers and metadata': { ...again, headers: { tenant: 'a' }, metadata: { tenant: 'evil' }, occurredAt: '2020-01-01T00:00:00Z' },
  }; // biome-ignore format: one line each

  /** How it says so: each as a function of the id. */
  const forms: Record<string, (said: Said, eventId: string) => Promise<unknown>> = {
    'in a report': (said, eventId) => post({ eventType: 'order.created', eventId, ...said }),
    'in a report without a type and a consumer': ({ source, eventType, ...said }, eventId) =>
      post({ eventId, ...said }, { 'content-type': 'application/vnd.dead-letter-office.report+json' }),
    'in a push without data': (said, eventId) =>
      post({
        message: {
          messageId: `m-${eventId}`,
          attributes: { event_id: eventId, 'dlo-error-reason': said.error.message },
        },
        subscription: said.source?.consumerGroup ?? 'projects/p/subscriptions/s',
      }),
    'in headers of an empty body': (said, eventId) =>
      post('', {
        'dlo-event-id': eventId,
        'dlo-error-reason': said.error.message,
        'dlo-event-type': said.eventType ?? 'order.created',
        ...(said.error.kind && { 'dlo-error-kind': said.error.kind }),
        ...(said.source?.topic && { 'dlo-topic': said.source.topic }),
        ...(said.source?.consumerGroup && { 'dlo-consumer-group': said.source.consumerGroup }),
        ...(said.retryAfter && {
          'dlo-retry-after': `${said.retryAfter}`,
          'dlo-priority': `${said.priority}`,
        }),
        ...(said.maxRetries === 0 && { 'dlo-max-retries': '0' }),
      }),
    'with the id of the honest request': (said, eventId) =>
      post(
        { eventType: 'order.created', eventId, ...said },
        { ...json, 'idempotency-key': `honest-${eventId}` },
      ),
    'in SQL': (said, eventId) =>
      database().sql(
        `select dlq_capture(event_type => $2, payload => null, event_id => $1, error_reason => $3, error_kind => $4,
           retry_after => now() + make_interval(secs => $5), priority => $6, max_retries => $7, source_topic => $8,
           consumer_group => $9, failed_at => $10, headers => $11)`,
        [eventId, said.eventType ?? 'order.created', said.error.message, said.error.kind ?? null,
          said.retryAfter ?? null, said.priority ?? null, said.maxRetries ?? null, said.source?.topic ?? null,
          said.source?.consumerGroup ?? null, said.failedAt ?? null, said.headers ?? {}],
      ), // biome-ignore format: one line each
  };

  const read = async (id: string) => {
    const [row] = await database().sql<Record<string, unknown>>('select * from dlq_events where id = $1', [
      id,
    ]);
    assert.ok(row);
    return row;
  };
  /** All that an event is, but for what no two events share. */
  const describeEvent = async (id: string) => {
    const { event_id, event_key, id_hashes, redelivery_token, conflicts_with, arrival, lane, ...row } =
      await read(id);
    const times = [
      'created_at',
      'last_failure_at',
      'first_failure_at',
      'retry_after',
      'updated_at',
      'id',
      'fingerprint',
    ];
    return Object.fromEntries(Object.entries(row).filter(([name]) => !times.includes(name)));
  };
  const idempotent = (eventId: string) => ({ ...json, 'idempotency-key': `honest-${eventId}` });

  const states: Record<string, (id: string) => Promise<unknown>> = {
    'an open event': async () => {},
    'a delivered event': (id) => openDays(database).deliver(id),
    'an event that is being delivered': (id) =>
      database().sql(`update dlq_events set status = 'PROCESSING' where id = $1`, [id]),
    'a discarded event': (id) =>
      database().sql(`update dlq_events set status = 'DISCARDED' where id = $1`, [id]),
  };

  /** One state after the other, or all with CAPTURE_RUNS. */
  let turn = 0;
  const pickStates = () => {
    const every = Object.entries(states);
    return Number(process.env.CAPTURE_RUNS ?? 0) >= 1000 ? every : every.slice(turn++ % 4).slice(0, 1);
  };

  for (const [attack, said] of Object.entries(attacks)) {
    it(`and tells ${attack} changes nothing of it, in any form and state`, async () => {
      for (const [form, tell] of pickVariant(`after ${attack}`, Object.entries(forms))) {
        for (const [state, prepare] of pickStates()) {
          const eventId = `victim-${count++}`;
          const { id } = await postOne(honest(eventId), idempotent(eventId));
          await prepare(id);
          const before = await read(id);
          for (let i = 0; i < 3; i++) await tell(said, eventId);
          assert.deepEqual(await read(id), before, `${form}, of ${state}`);
          const again = await postOne(honest(eventId), idempotent(eventId));
          assert.deepEqual(
            [again.id, await read(id)],
            [id, before],
            `the honest repetition after one ${form}, of ${state}`,
          );
        }
      }
    });

    it(`and tells ${attack} before the honest capture comes leaves no trace in what that says`, async () => {
      const eventId = `control-${count++}`;
      const control = await postOne(honest(eventId), idempotent(eventId));
      const expected = await describeEvent(control.id);
      for (const [form, tell] of pickVariant(`before ${attack}`, Object.entries(forms))) {
        const victim = `victim-${count++}`;
        await tell(said, victim);
        const stored = await postOne(honest(victim), idempotent(victim));
        assert.deepEqual(await describeEvent(stored.id), expected, form);
        const { retry_after, event_id } = await read(stored.id);
        assert.ok((retry_after as Date).getTime() <= Date.now() + 5000, form);
        assert.equal(event_id, victim);
        await tell(said, victim);
        assert.deepEqual(await describeEvent(stored.id), expected, `again ${form}`);
        // A later report of the honest consumer still finds it, with its decision if it is the first.
        const again = await postOne({ ...honest(victim), error: { message: 'x', kind: 'permanent' } });
        assert.equal(again.id, stored.id, form);
      }
    });
  }

  const guesses: Record<string, (headers: Headers, eventId: string) => Promise<unknown>> = {
    'in a report': (headers, eventId) => post({ eventType: 'order.created', eventId, ...again, headers }),
    'in headers of an empty body': (headers, eventId) =>
      post('', { ...headers, event_id: eventId, 'dlo-error-reason': 'again' }),
    'in SQL': (headers, eventId) =>
      database().sql(
        `select dlq_capture(event_type => 'order.created', payload => null, event_id => $1, headers => $2)`,
        [eventId, headers],
      ),
  };
  for (const [form, tell] of Object.entries(guesses)) {
    it(`and guesses the token of its row changes nothing of it, ${form}`, async () => {
      const eventId = `victim-${count++}`;
      const { id } = await postOne(honest(eventId), idempotent(eventId));
      await openDays(database).deliver(id);
      const before = await read(id);
      await tell({ 'dlo-event-id': `${id}.${'0'.repeat(32)}`, 'dlo-attempt': '1' }, eventId);

      assert.deepEqual(await read(id), before);
    });
  }

  it('never keeps the first report of its consumer from deciding', async () => {
    const days = openDays(database);
    const id = { eventKey: `id:victim-${count++}` };
    const copy = await days.capture(id);
    await days.capture({
      ...id,
      origin: 'report',
      body: Buffer.alloc(0),
      errorReason: 'evil',
      consumerGroup: 'evil',
    });
    const honest = {
      ...id,
      origin: 'report',
      errorReason: 'gone',
      errorKind: 'permanent',
      consumerGroup: 'billing',
    } as const;
    const reported = await days.capture(honest);

    const { status, error_reason } = await read(copy.id);
    assert.deepEqual([reported.id, status, error_reason], [copy.id, 'FAILED_PERMANENTLY', 'gone']);
  });

  it('never takes the records of honest captures away by their number', async () => {
    const eventId = `victim-${count++}`;
    const { id } = await postOne(honest(eventId), idempotent(eventId));
    await postOne(honest(eventId), { ...json, 'idempotency-key': 'second' });
    for (let i = 0; i < 3; i++)
      await post(Array.from({ length: 60 }, (_, n) => ({ eventId, eventType: 'x', error: `${i}-${n}` })));
    const rows = await database().sql('select from dlq_captures where event_id = $1', [id]);
    const [kept] = await database().sql(
      'select from dlq_captures where event_id = $1 and delivery_id is not null',
      [id],
    );
    assert.ok(rows.length <= 101, `${rows.length}`);
    assert.ok(kept);
  });
});
