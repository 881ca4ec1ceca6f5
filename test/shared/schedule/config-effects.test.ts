import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { describeEffects, describeUnmasked } from '../../../shared/schedule/config-effects.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { serveFunction } from '../../support/framework.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('a configuration', () => {
  const database = useDatabase();
  before(async () => {
    const old = { created_at: '2026-01-01', first_failure_at: '2026-01-01', last_failure_at: '2026-01-01' };
    await anEvent(database(), { event_type: 'mail.sent', ...old });
    await anEvent(database(), { event_type: 'mail.sent', error_class: 'NoSuchBox', failure_kind: null });
    await anEvent(database(), { event_type: 'mail.sent' });
    await anEvent(database(), { event_type: 'order.created', source_key: 'k', status: 'FAILED_PERMANENTLY' });
    await anEvent(database(), { event_type: 'order.created', source_key: 'k' });
    await anEvent(database(), { event_type: 'order.paid', source_key: 'k' });
    for (let n = 0; n < 2; n++)
      await anEvent(database(), { event_type: 'order.paid', source_key: 'goes in turn' });
    for (const event_type of ['gone.a', 'gone.a', 'gone.b']) await anEvent(database(), { event_type });
    await anEvent(database(), { event_type: 'gone.a', status: 'SUCCEEDED' });
  });
  const mail = aRouteTo('http://mail/', { match: { eventType: 'mail.*' } });
  const orders = aRouteTo('http://orders/', { match: { eventType: 'order.*' } });

  it('says which events it would close, block and leave without a route, by number', async () => {
    const strict = {
      ...mail,
      policy: { ...mail.policy, maxAge: '7d', errorClasses: { 'NoSuch*': 'permanent' as const } },
    };
    const effects = await describeEffects(database().db, { routes: [strict, { ...orders, ordered: true }] });

    assert.deepEqual(effects.sort(), [
      '2 open events would be closed by the next tick: they are older than maxAge, or of a class that is permanent (mail.sent 2).',
      '2 open events would wait behind an earlier event of their key, on an ordered route (order.created 1, order.paid 1).',
      '3 open events would wait: no route matches them (gone.a 2, gone.b 1).',
    ]);
  });

  it('says nothing if it changes nothing', async () => {
    const gone = aRouteTo('http://gone/', { match: { eventType: 'gone.*' } });
    assert.deepEqual(await describeEffects(database().db, { routes: [mail, orders, gone] }), []);
  });

  it('says which events it would unmask, of all', async () => {
    const masked = aRouteTo('http://gone/', { match: { eventType: 'gone.*' }, mask: ['$.email'] });
    const { db } = database();
    const bare = { ...masked, mask: [] };

    assert.deepEqual(await describeUnmasked(db, { routes: [masked] }, { routes: [bare, masked] }), [
      '4 events would be shown with fields that were masked (gone.a 3, gone.b 1).',
    ]);
    assert.deepEqual(
      await describeUnmasked(db, { routes: [masked] }, { routes: [bare], masks: ['$.email'] }),
      [],
    );
  });

  it('is announced by the first tick of an instance, before it closes anything', async () => {
    const routes = [
      {
        match: { eventType: 'mail.*' },
        target: { kind: 'http', url: 'http://127.0.0.1:9/' },
        policy: { maxAge: '7d' },
      },
    ];
    const env = { DATABASE_URL: database().url, ROUTES: JSON.stringify(routes) };
    const { url, output, stop } = await serveFunction('retry', env);
    await fetch(url, { method: 'POST' });
    await stop();

    const lines = output();
    const announced = lines.indexOf('1 open event would be closed by the next tick');
    assert.ok(announced > 0 && announced < lines.indexOf('due events were refused'), lines);
  });
});
