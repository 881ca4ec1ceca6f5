import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findRoute, nameTarget, type Origin } from '../../shared/routes.ts';
import { aRoute, aRouteTo } from '../support/routes.ts';

const origin: Origin = {
  event_type: 'order.created',
  source_kind: 'pubsub',
  source_topic: 'orders',
  consumer_group: null,
};

const matches = (match: object, event: Partial<Origin> = {}) =>
  findRoute([aRouteTo('http://shop/', { match })], { ...origin, ...event }) !== undefined;

describe('a route', () => {
  it('is the first one that matches, though a later one would match better', () => {
    const routes = [
      aRouteTo('http://nobody/', { match: { eventType: 'invoice.*' } }),
      aRouteTo('http://first/', { match: { eventType: 'order.*' } }),
      aRouteTo('http://better/', { match: { eventType: 'order.created' } }),
    ];

    assert.equal(findRoute(routes, origin), routes[1]);
  });

  it('without a match takes every event', () => {
    assert.ok(matches({}));
  });

  it('takes only events that fit each of its conditions', () => {
    const match = {
      eventType: 'order.*',
      sourceKind: 'pubsub',
      sourceTopic: 'orders',
      consumerGroup: 'bill*',
    };
    const event = { consumer_group: 'billing' };

    assert.ok(matches(match, event));
    for (const condition of Object.keys(match))
      assert.ok(!matches({ ...match, [condition]: 'other' }, event));
  });

  it('is not found for an event that none was configured for', () => {
    const routes = [aRouteTo('http://shop/', { match: { eventType: 'invoice.*' } })];

    assert.equal(findRoute(routes, origin), undefined);
  });

  it('is chosen by where an event comes from and never by what it contains', () => {
    const routes = [aRouteTo('http://evil/', { match: { eventType: 'evil' } }), aRouteTo('http://shop/')];
    const event = { ...origin, payload: { eventType: 'evil' }, headers: { eventType: 'evil' } };

    assert.equal(findRoute(routes, event), routes[1]);
  });

  it('is named by where it sends to', () => {
    const topic = 'projects/acme/topics/orders';

    assert.equal(nameTarget(aRouteTo('http://shop/').target), 'http://shop/');
    assert.equal(nameTarget(aRoute({ target: { kind: 'pubsub', topic } }).target), topic);
  });
});

describe('a pattern', () => {
  for (const [pattern, fitting, other] of [
    ['order.created', 'order.created', 'order.created.v2'],
    ['order.*', 'order.', 'order'],
    ['*.created', 'a.b\n.created', 'order.created!'],
    ['*order*v2', 'my.order.created.v2', 'order.created.v1'],
    ['order.created', 'order.created', 'order-created'],
    ['a+(b)[c]{1}^$|?\\', 'a+(b)[c]{1}^$|?\\', 'aab'],
  ] as const) {
    it(`${pattern} takes ${JSON.stringify(fitting)} and not ${JSON.stringify(other)}`, () => {
      assert.ok(matches({ eventType: pattern }, { event_type: fitting }));
      assert.ok(!matches({ eventType: pattern }, { event_type: other }));
    });
  }

  it('of one star takes an event that has no such value', () => {
    assert.ok(matches({ consumerGroup: '*' }, { consumer_group: null }));
    assert.ok(!matches({ consumerGroup: 'n*' }, { consumer_group: null }));
  });

  it('without a star takes exactly the text that it is', () => {
    const text = fc.string({ minLength: 1 }).filter((each) => !each.includes('*'));

    fc.assert(
      fc.property(text, text, (pattern, event_type) => {
        assert.equal(matches({ eventType: pattern }, { event_type }), pattern === event_type);
      }),
    );
  });
});
