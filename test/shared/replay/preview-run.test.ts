import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { PubSub } from '@google-cloud/pubsub';
import type { Route } from '../../../shared/delivery/routes.ts';
import { previewRun } from '../../../shared/replay/preview-run.ts';
import { holdTarget } from '../../../shared/targets/change-hold.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { countReadsOf } from '../../support/plans.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { aRoute, aRouteTo } from '../../support/routes.ts';
import { aRun, aRunRequest } from '../../support/runs.ts';

describe('a preview', () => {
  const database = useDatabase();
  const topic = usePubSubTarget();
  beforeEach(() => database().clear());
  const shop = aRouteTo('http://shop/', { match: { eventType: 'order.*' } });
  const preview = (body: Record<string, unknown> = {}, routes: readonly Route[] = [shop]) =>
    previewRun({ db: database().db, routes, costLimit: 0 }, aRunRequest({ dryRun: true, ...body }));
  const event = (columns = {}) => anEvent(database(), columns);

  it('counts events by type, status and error group, with their age', async () => {
    await event({ created_at: '2026-01-01Z', fingerprint: 'f1', error_class: 'Timeout' });
    await event({ created_at: '2026-01-02', fingerprint: 'f1' });
    await event({ created_at: '2026-01-03Z', event_type: 'order.paid', status: 'FAILED_PERMANENTLY' });
    const { selected, oldest, newest, eventTypes, statuses, errorGroups } = await preview();

    assert.deepEqual([selected, oldest, newest], [3, new Date('2026-01-01'), new Date('2026-01-03')]);
    assert.deepEqual(eventTypes, {
      count: 2,
      largest: [
        { value: 'order.created', events: 2 },
        { value: 'order.paid', events: 1 },
      ],
    });
    assert.deepEqual(
      statuses.largest.map(({ value, events }) => [value, events]),
      [
        ['PENDING', 2],
        ['FAILED_PERMANENTLY', 1],
      ],
    );
    assert.deepEqual(errorGroups.largest[0], { value: 'f1', events: 2, title: 'Timeout: timeout' });
  });

  it('names errors without a reason by their type and consumer', async () => {
    const silent = { error_reason: 'not reported', consumer_group: 'billing' };
    await event({ ...silent, fingerprint: 'f1' });
    await event({ ...silent, fingerprint: 'f2', event_type: 'order.paid' });
    const { errorGroups } = await preview();

    assert.deepEqual(
      errorGroups.largest.map(({ title }) => title),
      ['No reason given: order.created at billing', 'No reason given: order.paid at billing'],
    );
  });

  it('counts the events that wait for an earlier one of their key, and names the state of their target', async () => {
    const ordered = { ...shop, ordered: true };
    const first = await event({ source_key: 'k', status: 'FAILED_PERMANENTLY' });
    const second = await event({ source_key: 'k', error_reason: 'other' });
    await event({ source_key: 'l', error_reason: 'other' });
    const { blocked } = await preview({ filter: { errorText: 'other' } }, [ordered]);

    assert.deepEqual(blocked, { events: 1, checked: 2, example: second });
    assert.equal((await preview({ filter: { ids: [first, second] } }, [ordered])).blocked, null);
    assert.equal((await preview({ filter: { errorText: 'other' } })).blocked, null);
    const hold = { target: 'http://shop/', actor: 'ann', reason: 'x' };
    await holdTarget({ db: database().db, routes: [shop] }, hold);
    const [held] = (await preview()).targets;
    assert.deepEqual([held?.events, held?.state.state, held?.state.heldBy], [3, 'held', 'ann']);
  });

  it('counts excluded events by reason, with remedies', async () => {
    await event({ status: 'SUCCEEDED' });
    await event({ event_type: 'invoice.created' });
    const { selected, excluded, eventTypes } = await preview();
    const meanings = Object.fromEntries(
      excluded.map(({ reason, events, meaning }) => [reason, [events, meaning]]),
    );
    assert.deepEqual([selected, eventTypes], [0, { count: 0, largest: [] }]);
    assert.deepEqual(meanings, {
      'no-route': [1, 'No route matches it: configure one.'],
      delivered: [1, 'It was delivered: only a filter that names the status SUCCEEDED selects it.'],
    });
  });

  it('matches the run that is then created', async () => {
    for (const status of ['PENDING', 'SUCCEEDED', 'DISCARDED', 'FAILED_PERMANENTLY']) await event({ status });
    for (const body of [
      {},
      { filter: { status: ['PENDING', 'SUCCEEDED'] } },
      { filter: { status: 'DISCARDED' } },
    ]) {
      const { selected } = await preview(body);
      const run = await aRun({ db: database().db, routes: [shop] }, body);
      assert.equal(run.selected, selected);
    }
  });

  it('shows samples before and after the edit', async () => {
    await event({ body: Buffer.from('{"n": 9007199254740993}') });
    await event({ body: Buffer.from('[]'), payload: '[]' });
    const { samples } = await preview({ patch: [{ op: 'add', path: '/m', value: 1 }] });

    assert.deepEqual(
      samples.map(({ before, after, skipped }) => [before?.body, after?.body, skipped?.detail]),
      [
        ['{"n": 9007199254740993}', '{"n": 9007199254740993,"m":1}', undefined],
        ['[]', undefined, 'patch[0] (add /m): The list has 0 elements.'],
      ],
    );
  });

  it('shows no payload without an edit', async () => {
    await event();
    const [sample] = (await preview()).samples;
    assert.deepEqual([sample?.before, sample?.after], [undefined, undefined]);
  });

  it('warns that every subscription of a topic receives the events, and names a safer target', async () => {
    await event();
    const client = new PubSub({ projectId: 'acme' });
    for (const name of ['billing', 'search'])
      await client.topic(topic().topic).createSubscription(`${name}-${Date.now()}`);
    await client.close();
    const { targets } = await preview({}, [aRoute({ target: { kind: 'pubsub', topic: topic().topic } })]);
    const [reach] = targets;
    assert.deepEqual([reach?.subscriptions, reach?.events], [2, 1]);
    assert.match(
      reach?.advice ?? '',
      /^Each event reaches all 2 subscriptions again.*Safer: a route to the HTTP endpoint/,
    );
  });

  it('reports that the subscriptions of a topic cannot be listed', async () => {
    await event();
    topic().failNext('ListTopicSubscriptions', { code: 'PERMISSION_DENIED' });
    const { targets } = await preview({}, [aRoute({ target: { kind: 'pubsub', topic: topic().topic } })]);
    assert.deepEqual(
      [targets[0]?.subscriptions, /could not be counted/.test(targets[0]?.advice ?? '')],
      [null, true],
    );
  });

  it('lists what targets do not take of the messages as they would be sent, with an example', async () => {
    const pubsub = aRoute({
      match: { eventType: 'order.*' },
      target: { kind: 'pubsub', topic: topic().topic },
    });
    const first = await event({ headers: JSON.stringify({ big: 'x'.repeat(2000) }) });
    await event({
      headers: JSON.stringify({ big: 'x'.repeat(3000), '__connect.errors.stage': 'x'.repeat(2000) }),
    });
    await event({ headers: JSON.stringify({ tenant: 'acme' }) });
    const { limits } = await preview({}, [pubsub]);
    assert.deepEqual(limits, {
      checked: 3,
      found: [
        {
          target: topic().topic,
          effect: 'not-sent',
          part: 'attribute big',
          detail: 'The attribute big has 2,000 bytes; Pub/Sub accepts up to 1,024 bytes.',
          events: 2,
          example: first,
        },
      ],
    });
    const body = { filter: { ids: [first] }, edit: { headers: { big: 'short' } } };
    assert.deepEqual((await preview(body, [pubsub])).limits, { checked: 1, found: [] });
  });

  it('compares messages with the target that the request names', async () => {
    await event({ headers: JSON.stringify({ big: 'x'.repeat(2000) }) });
    const pubsub = aRoute({ target: { kind: 'pubsub', topic: topic().topic } });
    const { limits } = await preview({ target: topic().topic }, [shop, pubsub]);
    assert.deepEqual(
      limits.found.map(({ target }) => target),
      [topic().topic],
    );
  });

  it('reads up to 500 messages and 16 MiB of headers to compare', async () => {
    await database().sql(`insert into dlq_events (event_type, payload, error_reason, headers)
      select 'order.created', '{}', 'x', jsonb_build_object('tenant', i::text) from generate_series(1, 501) as i`);
    assert.equal((await preview()).limits.checked, 500);
    await database().clear('dlq_events');
    await database().sql(`insert into dlq_events (event_type, payload, headers)
      select 'order.created', '{}', jsonb_build_object('big', repeat('x', 9437184)) from generate_series(1, 3)`);
    assert.equal((await preview()).limits.checked, 1);
  });

  it('reads the open events at the end of a long history, and not the history', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, fingerprint, id_hashes, status, processed_at)
       select 'order.created', '{}', 'v1:1', '', case when n <= 15000 then 'SUCCEEDED' else 'PENDING' end, case when n <= 15000 then now() end
       from generate_series(1, 17000) n`,
    );
    await database().sql('analyze dlq_events');
    const request = aRunRequest({ dryRun: true, filter: { status: 'PENDING' } });
    const reads = await countReadsOf(database(), (db) =>
      previewRun({ db, routes: [shop], costLimit: 0 }, request),
    );
    // Once to count them, by a bitmap, which counts twice; the first ones to list them; and 500 messages for their limits.
    assert.ok(reads > 2000 && reads < 9000, `${reads} rows`);
  });

  it('shows no error and no sample of an event that no route matches', async () => {
    const first = await event({ event_type: 'invoice.created', fingerprint: 'f1' });
    const second = await event({ fingerprint: 'f2' });
    const { errorGroups, samples } = await preview();
    assert.deepEqual([errorGroups.count, errorGroups.largest.map(({ value }) => value)], [1, ['f2']]);
    assert.deepEqual(
      samples.map(({ id }) => id),
      [second],
      `without ${first}`,
    );
  });

  it('counts events by target', async () => {
    await event();
    await event({ event_type: 'order.paid' });
    const paid = aRouteTo('http://paid/', { match: { eventType: 'order.paid' }, ordered: true });
    const { targets } = await preview({}, [paid, shop]);
    assert.deepEqual(targets.map(({ target, events }) => [target, events]).sort(), [
      ['http://paid/', 1],
      ['http://shop/', 1],
    ]);
  });
});
