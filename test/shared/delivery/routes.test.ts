import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findRoute } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import type { Origin } from '../../../shared/message/event.ts';
import { aRoute, aRouteTo } from '../../support/routes.ts';

const origin: Origin = {
  eventType: 'order.created',
  sourceKind: 'pubsub',
  sourceTopic: 'orders',
  consumerGroup: null,
};

const matches = (match: object, event: Partial<Origin> = {}) =>
  findRoute([aRouteTo('http://shop/', { match })], { ...origin, ...event }) !== undefined;

describe('a route', () => {
  it('is the first one that matches, even if a later one is more specific', () => {
    const routes = [
      aRouteTo('http://nobody/', { match: { eventType: 'invoice.*' } }),
      aRouteTo('http://first/', { match: { eventType: 'order.*' } }),
      aRouteTo('http://better/', { match: { eventType: 'order.created' } }),
    ];

    assert.equal(findRoute(routes, origin), routes[1]);
  });

  it('without match conditions takes every event', () => {
    assert.ok(matches({}));
  });

  it('takes only events that meet all of its conditions', () => {
    const match = {
      eventType: 'order.*',
      sourceKind: 'pubsub',
      sourceTopic: 'orders',
      consumerGroup: 'bill*',
    };
    const event = { consumerGroup: 'billing' };

    assert.ok(matches(match, event));
    for (const condition of Object.keys(match))
      assert.ok(!matches({ ...match, [condition]: 'other' }, event));
  });

  it('is not found for an event that no configured route matches', () => {
    const routes = [aRouteTo('http://shop/', { match: { eventType: 'invoice.*' } })];

    assert.equal(findRoute(routes, origin), undefined);
  });

  it('is selected by the origin of an event and never by its content', () => {
    const routes = [aRouteTo('http://evil/', { match: { eventType: 'evil' } }), aRouteTo('http://shop/')];
    const event = { ...origin, payload: { eventType: 'evil' }, headers: { eventType: 'evil' } };

    assert.equal(findRoute(routes, event), routes[1]);
  });

  it('has a target named by its URL or topic', () => {
    const topic = 'projects/acme/topics/orders';

    assert.equal(nameTarget(aRouteTo('http://shop/').target), 'http://shop/');
    assert.equal(nameTarget(aRoute({ target: { kind: 'pubsub', topic } }).target), topic);
  });
});

describe('a match pattern', () => {
  for (const [pattern, fitting, other] of [
    ['order.created', 'order.created', 'order.created.v2'],
    ['order.*', 'order.', 'order'],
    ['*.created', 'a.b\n.created', 'order.created!'],
    ['*order*v2', 'my.order.created.v2', 'order.created.v1'],
    ['order.created', 'order.created', 'order-created'],
    ['a+(b)[c]{1}^$|?\\', 'a+(b)[c]{1}^$|?\\', 'aab'],
  ] as const) {
    it(`${pattern} takes ${JSON.stringify(fitting)} and not ${JSON.stringify(other)}`, () => {
      assert.ok(matches({ eventType: pattern }, { eventType: fitting }));
      assert.ok(!matches({ eventType: pattern }, { eventType: other }));
    });
  }

  it('of one star takes an event without that value', () => {
    assert.ok(matches({ consumerGroup: '*' }, { consumerGroup: null }));
    assert.ok(!matches({ consumerGroup: 'n*' }, { consumerGroup: null }));
  });

  it('without a star takes exactly its own text', () => {
    const text = fc.string({ minLength: 1 }).filter((each) => !each.includes('*'));

    fc.assert(
      fc.property(text, text, (pattern, eventType) => {
        assert.equal(matches({ eventType: pattern }, { eventType }), pattern === eventType);
      }),
    );
  });
});
