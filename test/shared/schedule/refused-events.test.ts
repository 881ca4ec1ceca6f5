import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { reopen } from '../../../shared/events/actions/actions.ts';
import { runAction } from '../../../shared/events/actions/run-action.ts';
import { closeRefused, rulesOf } from '../../../shared/schedule/refusals.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, type EventColumns, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { tries } from '../../support/sample.ts';

type Policy = NonNullable<Parameters<typeof aRouteTo>[1]>['policy'];

const database = useDatabase();
const target = useHttpTarget();
const tick = (policy: NonNullable<Policy>, settings = {}) =>
  runTick({
    db: database().db,
    retry: retryConfig(settings),
    routes: [aRouteTo(target().url, { policy, ordered: true })],
  });
const ago = (ms: number) => new Date(Date.now() - ms);
const hour = 3_600_000;
const anOldEvent = (columns: EventColumns = {}) =>
  anEvent(database(), {
    created_at: ago(2 * hour),
    first_failure_at: ago(2 * hour),
    last_failure_at: ago(2 * hour),
    ...columns,
  });
const row = async () => {
  const [found, ...others] = await database().sql('select * from dlq_events');
  assert.equal(others.length, 0);
  return found ?? {};
};
const received = () => target().received.length;
let before = 0;

beforeEach(async () => {
  await database().clear();
  before = received();
});
const deliveries = () => received() - before;
const reopenAll = async () => {
  const { action } = reopen.read({
    body: { filter: { eventType: ['order.*'] }, reason: 'wanted' },
    actor: 'ada',
    now: new Date(),
  });
  await runAction({ db: database().db, costLimit: 0 }, action);
};

describe('an event older than the maxAge of its route', () => {
  it('fails permanently with the answer that it expired, without an attempt and at no cost', async () => {
    await anOldEvent({ error_class: 'TimeoutError', retry_count: 2 });
    const { tally, stopped } = await tick({ maxAge: '1h' });
    const { status, answer, failure_kind, retry_count, processed_at, ...others } = await row();
    assert.deepEqual(
      [status, answer, failure_kind, retry_count],
      ['FAILED_PERMANENTLY', 'Expired: older than 1h, the maxAge of its route.', 'permanent', 2],
    );
    assert.ok(processed_at instanceof Date);
    assert.deepEqual([others.error_reason, others.error_class], ['timeout', 'TimeoutError']);
    assert.deepEqual([tally.failedPermanently, tally.delivered, stopped], [1, 0, 'nothing due']);
    assert.deepEqual(await database().sql('select from dlq_attempts'), []);
    assert.equal(deliveries(), 0);
  });

  it('is left to the worker that leases it meanwhile', async () => {
    const id = await anOldEvent();
    const route = aRouteTo(target().url, { policy: { maxAge: '1h' } });
    await claim(database(), { routes: [aRouteTo(target().url)] });
    assert.equal(await closeRefused(database().db, [{ id, whyNot: 'expired', route }]), 0);
    assert.equal((await row()).status, 'PROCESSING');
  });

  it('has an answer of its own beside one of a class that is permanent, which keeps its latest', async () => {
    await anOldEvent({ answer: 'HTTP 500: busy' });
    await anEvent(database(), { error_class: 'Invalid', answer: 'HTTP 500: busy' });
    await tick({ maxAge: '1h', errorClasses: { Invalid: 'permanent' } });
    const answers = await database().sql('select status, answer from dlq_events order by id');
    const [expired, kept] = ['Expired: older than 1h, the maxAge of its route.', 'HTTP 500: busy'];
    const status = 'FAILED_PERMANENTLY';
    assert.deepEqual(answers, [
      { status, answer: expired },
      { status, answer: kept },
    ]);
  });

  it('is delivered at any younger age', async () => {
    await anOldEvent();
    assert.equal((await tick({ maxAge: '3h' })).tally.delivered, 1);
  });

  it('is delivered after an operator has reopened it, until it is that old again', async () => {
    await anOldEvent();
    await tick({ maxAge: '1h' });
    await reopenAll();
    await database().sql(`update dlq_events set reopened_at = now() - interval '61 minutes'`);
    await tick({ maxAge: '1h' });
    assert.equal((await row()).status, 'FAILED_PERMANENTLY');
    await reopenAll();
    assert.equal((await tick({ maxAge: '1h' })).tally.delivered, 1);
  });

  it('is delivered after plain SQL has opened it again', async () => {
    await anOldEvent();
    await tick({ maxAge: '1h' });
    await database().sql(`update dlq_events set status = 'PENDING', retry_after = now()`);
    assert.equal((await tick({ maxAge: '1h' })).tally.delivered, 1);
  });

  it('takes no place of others in a batch, a rate or a limit of events', async () => {
    for (let i = 0; i < 7; i++) await anOldEvent();
    await manyEvents(database(), 2);
    const policy = { maxAge: '1h', ratePerSecond: 2 };
    const { tally } = await tick(policy, { batchSize: 2, maxEventsPerTick: 2 });
    assert.deepEqual([tally.delivered, tally.failedPermanently], [2, 7]);
  });

  it('is not the probe of a target that is down', async () => {
    for (let i = 0; i < 3; i++) await anOldEvent();
    await anEvent(database());
    await database().sql(
      `insert into dlq_breakers (target, state, opened_at, cooldown_seconds, probe_after)
       values ($1, 'OPEN', now(), 30, now())`,
      [target().url],
    );
    const { tally } = await tick({ maxAge: '1h' });
    assert.deepEqual([tally.delivered, tally.failedPermanently], [1, 3]);
    const [breaker] = await database().sql('select state from dlq_breakers');
    assert.equal(breaker?.state, 'CLOSED');
  });

  it('still precedes the later events of its key on an ordered route', async () => {
    await anOldEvent({ source_key: 'a' });
    await anEvent(database(), { source_key: 'a' });
    await tick({ maxAge: '1h' });
    const statuses = await database().sql('select status from dlq_events order by id');
    assert.deepEqual(
      statuses.map(({ status }) => status),
      ['FAILED_PERMANENTLY', 'PENDING'],
    );
  });
});

describe('an event whose class of error its route lists', () => {
  const errorClasses = {
    'java.net.*': 'transient',
    'java.*Exception': 'permanent',
    ValidationError: 'permanent',
  } as const;

  it('as permanent fails permanently, with its own reason', async () => {
    await anEvent(database(), { error_class: 'ValidationError' });
    await tick({ errorClasses });
    const { status, error_reason, error_class, failure_kind, retry_count } = await row();
    assert.deepEqual(
      [status, error_reason, error_class, failure_kind, retry_count],
      ['FAILED_PERMANENTLY', 'timeout', 'ValidationError', 'permanent', 0],
    );
    assert.equal(deliveries(), 0);
  });

  it('is judged by the first class that matches, and delivered without one', async () => {
    for (const error_class of ['java.net.ConnectException', 'java.lang.Errors', 'validationerror', null]) {
      await anEvent(database(), { error_class });
    }
    assert.equal((await tick({ errorClasses })).tally.delivered, 4);
    await anEvent(database(), { error_class: 'java.lang.ArithmeticException' });
    assert.equal((await tick({ errorClasses })).tally.failedPermanently, 1);
  });

  it('is delivered if its consumer says transient', async () => {
    await anEvent(database(), { error_class: 'ValidationError', failure_kind: 'transient' });
    assert.equal((await tick({ errorClasses })).tally.delivered, 1);
  });

  it('is delivered after an operator has reopened it', async () => {
    await anEvent(database(), { error_class: 'ValidationError' });
    await tick({ errorClasses });
    await reopenAll();
    assert.equal((await tick({ errorClasses })).tally.delivered, 1);
  });

  it('is delivered after an operator has reopened it before the first tick', async () => {
    await anEvent(database(), { error_class: 'ValidationError', status: 'FAILED_PERMANENTLY' });
    await reopenAll();
    assert.equal((await tick({ errorClasses })).tally.delivered, 1);
  });

  it('fails at once again if its consumer has failed since an operator reopened it', async () => {
    await anEvent(database(), { error_class: 'ValidationError', status: 'FAILED_PERMANENTLY' });
    await reopenAll();
    await database().sql('update dlq_events set last_failure_at = now()');
    assert.equal((await tick({ errorClasses })).tally.failedPermanently, 1);
  });

  it('is the class as text, whatever is in it', async () => {
    const texts = fc.array(fc.constantFrom('a', '%', '_', '\\', '.', '*', "'", 'é', '\n'), { maxLength: 6 });
    const pairs = fc.array(fc.tuple(texts, texts), { minLength: 60, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(pairs, async (all) => {
        const cases = all.map(([name, value]) => ({
          name: `x${name.join('')}`,
          value: `x${value.join('')}`,
        }));
        const rules = cases.map(({ name }) =>
          rulesOf(aRouteTo('http://x', { policy: { errorClasses: { [name]: 'permanent' } } }).policy),
        );
        const found = await database().sql<{ refusal: string | null }>(
          `select dlq_why_not_now(jsonb_populate_record(null::dlq_events, jsonb_build_object(
             'status', 'PENDING', 'created_at', now(), 'last_failure_at', now(), 'retry_after', now(), 'error_class', value)), rules) as refusal
           from unnest($1::text[], $2::json[]) with ordinality as cases (value, rules, place) order by place`,
          [cases.map(({ value }) => value), rules],
        );
        for (const [i, { name, value }] of cases.entries()) {
          const parts = name.split('*').map((part) => part.replaceAll(/[\\.]/g, String.raw`\$&`));
          const isMatch = new RegExp(`^${parts.join('.*')}$`, 's').test(value);
          assert.equal(found[i]?.refusal === 'permanent', isMatch, `${name} ${value}`);
        }
      }),
      { numRuns: tries(20) },
    );
  });
});

describe('an event that its consumer called permanent while a worker delivered it', () => {
  it('is not delivered again if that worker disappeared', async () => {
    const token = '00000000-0000-4000-8000-000000000000';
    const id = await anEvent(database(), {
      status: 'PROCESSING',
      failure_kind: 'permanent',
      delivery_count: 1,
      failed_delivery: 1,
      lease_token: token,
      lease_expires_at: ago(1000),
    });
    const lease =
      "insert into dlq_leases (token, event_ids, leased_at, seconds) values ($1, array[$2::bigint], now() - interval '1 hour', 60)";
    await database().sql(lease, [token, id]);
    await tick({});
    assert.equal((await row()).status, 'FAILED_PERMANENTLY');
    assert.equal(deliveries(), 0);
  });
});
