import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { readConfig } from '../../../shared/environment/config.ts';
import { refusalOf } from '../../support/problems.ts';

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

describe('a route to a Kafka REST bridge', () => {
  it('needs only a flavor, a URL and a topic', () => {
    assert.deepEqual(read(strimzi), { ...strimzi, headers: {} });
  });

  it('drops trailing slashes from the URL of the bridge', () => {
    assert.deepEqual(read({ ...strimzi, url: 'https://bridge/kafka//' }), {
      ...strimzi,
      url: 'https://bridge/kafka',
      headers: {},
    });
  });

  it('names its target by the URL of the topic, with the cluster if the flavor has several', () => {
    assert.equal(nameTarget(read(strimzi)), 'http://bridge:8080/topics/orders');
    assert.equal(
      nameTarget(read(proxy)),
      'http://bridge:8080/v3/clusters/4L6g3nShT-eMCtK--X86sw/topics/orders',
    );
  });

  it('needs a cluster id for version 3 of the Confluent proxy', () => {
    const { clusterId: _, ...withoutCluster } = proxy;

    assert.deepEqual(problemsOf(withoutCluster), ['clusterId: Required: add it.']);
    assert.match(problemsOf({ ...proxy, clusterId: '../other' })[0] ?? '', /^clusterId: Must be the id/);
  });

  it('rejects a cluster id for strimzi, which serves one cluster', () => {
    assert.deepEqual(problemsOf({ ...proxy, flavor: 'strimzi' }), [
      'clusterId: No such field: correct its name or remove it.',
    ]);
  });

  it('rejects a missing or unknown flavor', () => {
    const remedy = 'flavor: Use one of "strimzi" | "confluent-v3".';

    assert.deepEqual(problemsOf({ ...strimzi, flavor: undefined }), [remedy]);
    assert.deepEqual(problemsOf({ ...strimzi, flavor: 'confluent-v2' }), [remedy]);
  });

  for (const topic of ['', '.', '..', 'orders/1', 'größe', 'x'.repeat(250)]) {
    it(`rejects the topic ${JSON.stringify(topic).slice(0, 20)}, an invalid Kafka name`, () => {
      assert.match(problemsOf({ ...strimzi, topic })[0] ?? '', /^topic: Must be the name of a topic/);
    });
  }

  for (const url of ['http://bridge/?async=true', 'http://bridge/#x']) {
    it(`rejects the URL ${url}, to which no path can be appended`, () => {
      assert.match(problemsOf({ ...strimzi, url })[0] ?? '', /^url: Must be the address of the bridge alone/);
    });
  }

  it('rejects a content-type header, which selects the record encoding', () => {
    assert.deepEqual(problemsOf({ ...strimzi, headers: { 'Content-Type': 'application/json' } }), [
      'headers.Content-Type: Remove it: this header is set with each delivery.',
    ]);
  });
});
