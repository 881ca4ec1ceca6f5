import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { findRoute } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { firstGroups } from '../../support/group-page.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('error groups by the origin of their latest event', () => {
  const database = useDatabase();
  const origins = ['order.a', 'order_a', 'order%', 'order.a\n', 'Order.a', String.raw`order\a`].flatMap(
    (eventType) =>
      ['sql', 'kafka'].flatMap((sourceKind) =>
        [null, 'topic_1', 'topic-1'].flatMap((sourceTopic) =>
          [null, 'billing'].map((consumerGroup) => ({ eventType, sourceKind, sourceTopic, consumerGroup })),
        ),
      ),
  );
  const routes = [
    aRouteTo('http://a/', { match: { eventType: 'order_a', consumerGroup: '*' } }),
    aRouteTo('http://b/', { match: { eventType: 'order%', sourceKind: 'kafka' } }),
    aRouteTo('http://c/', { match: { eventType: 'order.*', sourceTopic: 'topic_1' } }),
    aRouteTo('http://a/', { match: { eventType: 'order*', sourceTopic: '*1', consumerGroup: 'billing' } }),
    aRouteTo('http://d/', { match: { eventType: String.raw`*\*`, consumerGroup: 'b*g' } }),
    aRouteTo('http://e/', { match: { sourceKind: 's*l' } }),
    aRouteTo('http://unused/', { match: { eventType: 'none' } }),
  ];
  const nameGroup = (nth: number) => `v2:${nth}`;
  before(async () => {
    for (const [nth, { eventType, sourceKind, sourceTopic, consumerGroup }] of origins.entries()) {
      const fingerprint = nameGroup(nth);
      await anEvent(database(), { fingerprint, event_type: 'earlier' });
      const columns = { event_type: eventType, source_kind: sourceKind, source_topic: sourceTopic };
      await anEvent(database(), { fingerprint, ...columns, consumer_group: consumerGroup });
    }
    await refresh(database().db);
  });
  const list = async (more: Parameters<typeof firstGroups>[0]) =>
    (await listGroups(database().db, firstGroups({ limit: 200, ...more }))).map((group) => group.fingerprint);

  for (const target of [...new Set(routes.map((route) => nameTarget(route.target))), 'http://unknown/']) {
    it(`lists those that the routes lead to ${target}, as they lead their deliveries`, async () => {
      const expected = origins.flatMap((origin, nth) => {
        const route = findRoute(routes, origin);
        return route && nameTarget(route.target) === target ? [nameGroup(nth)] : [];
      });
      assert.deepEqual((await list({ routed: { target, routes } })).sort(), expected.sort());
    });
  }

  it('lists none without routes', async () => {
    assert.deepEqual(await list({ routed: { target: 'http://a/', routes: [] } }), []);
  });

  it('lists those of a consumer, page by page', async () => {
    const expected = origins.flatMap(({ consumerGroup }, nth) => (consumerGroup ? [nameGroup(nth)] : []));
    const listed: string[] = [];
    let after: string | undefined;
    do {
      const page = await listGroups(database().db, firstGroups({ limit: 10, consumer: 'billing', after }));
      listed.push(...page.map(({ fingerprint }) => fingerprint));
      after = page.at(-1)?.position;
    } while (after !== undefined);
    assert.deepEqual(listed.sort(), expected.sort());
  });

  it('takes the latest event of all merged groups', async () => {
    const [merged = '', into = ''] = await list({ consumer: 'billing', limit: 2 });
    const setMerged = (to: string | null) =>
      database().sql('update dlq_error_groups set merged_into = $1 where fingerprint = $2', [to, merged]);
    await setMerged(into);
    await anEvent(database(), { fingerprint: merged, consumer_group: 'shipping' });
    assert.deepEqual(await list({ consumer: 'shipping' }), [into]);
    assert.ok(!(await list({ consumer: 'billing' })).includes(into));
    await setMerged(null);
  });
});
