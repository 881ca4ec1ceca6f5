import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { listTargets } from '../../../shared/targets/show-targets.ts';
import { sendForm, useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the pages of targets', () => {
  const database = useDatabase();
  const served = useConsole(database, { routes: [aRouteTo('http://shop/orders')] });
  const page = `targets/${encodeURIComponent('http://shop/orders')}`;
  const preview = 'runs/new?q=type:order.*&reason=test';
  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  /** Sends a form as a browser without script does. */
  const submit = async (path: string, form: Record<string, string>, from = path) => {
    const shown = await fetch(`${served().url}/${from}`);
    const hidden = [...(await shown.text()).matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
    const fields = Object.fromEntries(
      hidden.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]),
    );
    return sendForm(`${served().url}/${path}`, { ...fields, ...form });
  };
  before(() => manyEvents(database(), 3));

  it('say that nothing was delivered as the API does, however the breaker is', async () => {
    await database().sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
       values (1, 1, 'transient', 'http://shop/orders', now(), 5)`,
    );
    const deps = { db: database().db, routes: [aRouteTo('http://shop/orders')] };
    const targets = await listTargets(deps, await readSnapshot(deps));

    assert.equal(targets[0]?.state, 'nothing-delivered');
    for (const each of ['', 'targets', page]) assert.match(await read(each), />nothing delivered<\/span>/);
  });

  it('hold a target only with a reason', async () => {
    assert.equal((await submit(page, { command: 'hold', reason: ' ' })).status, 400);
    assert.equal((await submit(page, { command: 'hold', reason: 'maintenance' })).status, 303);
    assert.match(await read(page), /held.*began .*by ada@example\.com: maintenance/s);
  });

  it('say what another operator has done since, above a form that keeps what was typed', async () => {
    const late = await submit(page, { command: 'hold', reason: 'a release' });

    assert.equal(late.status, 409);
    assert.match(await late.text(), /is held already.*value="a release"/s);
  });

  it('are linked from an event that its target holds back, which is not due, with the reason', async () => {
    const [event] = await database().sql<{ id: string }>('select min(id) as id from dlq_events');
    assert.match(
      await read(`events/${event?.id}`),
      /Its target is held\. ada@example\.com: maintenance.*href="targets\/http[^"]*">Release its target/s,
    );
  });

  it('lead to a preview that names the held target and starts the replay when it is released', async () => {
    assert.match(await read(preview), /shop\/<wbr>orders<\/a> is .*held.*3 events wait for it/s);
    await submit('runs/new', { command: 'create', start: 'wait', reason: 'a test' }, preview);
    const [run] = await database().sql(`select rollout ->> 'waitForTarget' as waits from dlq_runs`);

    assert.equal(run?.waits, 'true');
  });

  it('release a target, and probe it with one event', async () => {
    await submit(page, { command: 'release', reason: 'repaired' });
    const { headers } = await submit(page, { command: 'probe', reason: 'is it back?' });

    assert.match(headers.get('location') ?? '', /runs\/\d+$/);
    const [run] = await database().sql('select selected, reason from dlq_runs order by id desc limit 1');
    assert.deepEqual(run, { selected: 1, reason: 'Probe: is it back?' });
  });

  it('list one that is down before all others, as the API does, whatever the order of the routes', async () => {
    await database().sql(
      `insert into dlq_breakers (target, state, opened_at, probe_after, cooldown_seconds)
       values ('http://shop/3', 'OPEN', now(), now() + interval '30 seconds', 30)`,
    );
    const routes = [1, 2, 3].map((n) => aRouteTo(`http://shop/${n}`, { match: { eventType: `type-${n}` } }));
    const deps = { db: database().db, routes };
    const targets = await listTargets(deps, await readSnapshot(deps));

    assert.deepEqual(
      targets.map(({ target, state }) => [target, state]),
      [
        ['http://shop/3', 'down'],
        ['http://shop/1', 'unused'],
        ['http://shop/2', 'unused'],
      ],
    );
  });
});
