import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../shared/config.ts';
import { nameTarget } from '../../shared/routes.ts';
import { refusalOf } from '../support/problems.ts';

const DATABASE_URL = 'postgres://localhost/dlo';
const strimzi = { kind: 'kafka-rest', flavor: 'strimzi', url: 'http://bridge:8080', topic: 'orders' };
const proxy = { ...strimzi, flavor: 'confluent-v3', clusterId: '4L6g3nShT-eMCtK--X86sw' };
const read = (target: object) => {
  const [route] = readConfig({ DATABASE_URL, ROUTES: JSON.stringify([{ target }]) }).routes;
  assert.ok(route);
  return route.target;
};
const problemsOf = (target: object) => {
  const { problems } = refusalOf({ DATABASE_URL, ROUTES: JSON.stringify([{ target }]) });
  return problems.map(({ field, remedy }) => `${field.replace('ROUTES[0].target.', '')}: ${remedy}`);
};

describe('a route to a bridge to Kafka', () => {
  it('needs no more than its flavor, its address and a topic', () => {
    assert.deepEqual(read(strimzi), { ...strimzi, headers: {} });
  });

  it('has the address of the bridge without slashes at its end', () => {
    assert.deepEqual(read({ ...strimzi, url: 'https://bridge/kafka//' }), {
      ...strimzi,
      url: 'https://bridge/kafka',
      headers: {},
    });
  });

  it("is named by the topic's address, and by its cluster where there may be several", () => {
    assert.equal(nameTarget(read(strimzi)), 'http://bridge:8080/topics/orders');
    assert.equal(
      nameTarget(read(proxy)),
      'http://bridge:8080/v3/clusters/4L6g3nShT-eMCtK--X86sw/topics/orders',
    );
  });

  it("needs the id of the cluster for version 3 of Confluent's proxy", () => {
    const { clusterId: _, ...withoutCluster } = proxy;

    assert.deepEqual(problemsOf(withoutCluster), ['clusterId: Required: add it.']);
    assert.match(problemsOf({ ...proxy, clusterId: '../other' })[0] ?? '', /^clusterId: Must be the id/);
  });

  for (const flavor of ['strimzi', 'confluent-v2']) {
    it(`cannot name a cluster for ${flavor}, which knows only its own`, () => {
      assert.deepEqual(problemsOf({ ...proxy, flavor }), [
        'clusterId: No such field: correct its name or remove it.',
      ]);
    });
  }

  it('is refused without a flavor, and with one that is not known', () => {
    const remedy = 'flavor: Use one of "strimzi" | "confluent-v2" | "confluent-v3".';

    assert.deepEqual(problemsOf({ ...strimzi, flavor: undefined }), [remedy]);
    assert.deepEqual(problemsOf({ ...strimzi, flavor: 'redpanda' }), [remedy]);
  });

  for (const topic of ['', '.', '..', 'orders/1', 'größe', 'x'.repeat(250)]) {
    it(`is refused with the topic ${JSON.stringify(topic).slice(0, 20)}, which Kafka could not have`, () => {
      assert.match(problemsOf({ ...strimzi, topic })[0] ?? '', /^topic: Must be the name of a topic/);
    });
  }

  for (const url of ['http://bridge/?async=true', 'http://bridge/#x']) {
    it(`is refused with the address ${url}, to which no path can be added`, () => {
      assert.match(problemsOf({ ...strimzi, url })[0] ?? '', /^url: Must be the address of the bridge alone/);
    });
  }

  it('cannot set the content type, which says how the record is written', () => {
    assert.deepEqual(problemsOf({ ...strimzi, headers: { 'Content-Type': 'application/json' } }), [
      'headers.Content-Type: Remove it: this header is set with each delivery.',
    ]);
  });
});
