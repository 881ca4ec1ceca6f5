import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { readConfig } from '../../../shared/environment/config.ts';
import { refusalOf } from '../../support/problems.ts';

const DATABASE_URL = 'postgres://localhost/dlo';
const target = { kind: 'http', url: 'http://shop/orders' };
const read = (...routes: object[]) => readConfig({ DATABASE_URL, ROUTES: JSON.stringify(routes) }).routes;
const problemsOf = (...routes: unknown[]) => {
  const { problems } = refusalOf({ DATABASE_URL, ROUTES: JSON.stringify(routes) });
  return problems.map(({ field, remedy }) => `${field}: ${remedy}`);
};
const folder = mkdtempSync(path.join(tmpdir(), 'dlo-routes-'));
after(() => rmSync(folder, { recursive: true }));

describe('routes', () => {
  it('need only a target', () => {
    const backoff = { kind: 'exponential', baseSeconds: 60, factor: 2, capSeconds: 21_600, jitter: 'full' };
    const breaker = {
      consecutiveFailures: 5,
      failureRatio: 0.5,
      minimumDeliveries: 20,
      cooldownSeconds: 30,
      maxCooldownSeconds: 900,
    };
    const attempts = { timeoutSeconds: 30, concurrency: 10, onAmbiguous: 'retry' };
    const rules = { outcomes: {}, errorClasses: {} };

    assert.deepEqual(read({ target }), [
      {
        match: {},
        target: { ...target, headers: {}, allowHeaders: [] },
        policy: { backoff, ...attempts, ...rules, breaker },
        ordered: false,
        mask: [],
      },
    ]);
  });

  it('list the payload paths that the console masks', () => {
    const mask = ['$', '$.customer.email', '$.items.*.card', 'headers.x-user'];

    assert.deepEqual(read({ target, mask })[0]?.mask, mask);
    for (const path of ['customer.email', '$customer', '$.', '$..a', 'headers.', '']) {
      assert.throws(() => read({ target, mask: [path] }), /Use a path such as \$\.customer\.email/, path);
    }
  });

  it('keep the option `ordered` beside the policy', () => {
    assert.equal(read({ target, ordered: true })[0]?.ordered, true);
    assert.deepEqual(problemsOf({ target, ordered: 'yes' }, { target, policy: { ordered: true } }), [
      'ROUTES[0].ordered: Use true or false.',
      'ROUTES[1].policy.ordered: No such field: correct its name or remove it.',
    ]);
  });

  it('are read from the file that ROUTES_FILE names', () => {
    const file = path.join(folder, 'routes.json');
    writeFileSync(file, JSON.stringify([{ target }]));

    assert.deepEqual(readConfig({ DATABASE_URL, ROUTES_FILE: file }).routes, read({ target }));
  });

  it('are rejected if both ROUTES and ROUTES_FILE are set', () => {
    const { problems } = refusalOf({ DATABASE_URL, ROUTES: '[]', ROUTES_FILE: 'routes.json' });

    assert.match(problems[0]?.remedy ?? '', /either ROUTES or ROUTES_FILE/);
  });

  it('are rejected if their file does not exist', () => {
    const { problems } = refusalOf({ DATABASE_URL, ROUTES_FILE: path.join(folder, 'none.json') });

    assert.match(problems[0]?.remedy ?? '', /no such file.*none\.json/);
  });

  it('are rejected under the name of the variable that set them', () => {
    const file = path.join(folder, 'bad.json');
    writeFileSync(file, JSON.stringify([{ target, policy: { timeoutSeconds: 60 } }]));
    const { problems } = refusalOf({ DATABASE_URL, ROUTES_FILE: file, LEASE_SECONDS: '60' });

    assert.deepEqual(
      problems.map(({ field }) => field),
      ['ROUTES_FILE[0].policy.timeoutSeconds'],
    );
  });

  it('are rejected with every problem and its index', () => {
    assert.deepEqual(
      problemsOf(
        { target: { kind: 'pubsub', topic: 'orders' } },
        {},
        { target, policy: { maxRetry: 3 } },
        { target: 'http://shop/orders' },
      ),
      [
        'ROUTES[0].target.topic: Must look like projects/PROJECT/topics/TOPIC.',
        'ROUTES[1].target: Required: add it.',
        'ROUTES[2].policy.maxRetry: No such field: correct its name or remove it.',
        'ROUTES[3].target: Give it with its kind: {"kind": "http", "url": "https://shop.example/orders"}.',
      ],
    );
  });

  it('are rejected if a delivery could outlast its lease, also beside other problems', () => {
    const ROUTES = JSON.stringify([{ target, policy: { timeoutSeconds: 300 } }]);
    const { problems } = refusalOf({ DATABASE_URL, ROUTES, BATCH_SIZE: '0' });

    assert.deepEqual(
      problems.map(({ field }) => field),
      ['BATCH_SIZE', 'ROUTES[0].policy.timeoutSeconds'],
    );
  });

  it('are rejected if a backoff exceeds the interval range of PostgreSQL', () => {
    const ROUTES = `[{"target": ${JSON.stringify(target)}, "policy": {"backoff": {"capSeconds": 1e999}}}]`;

    assert.match(refusalOf({ DATABASE_URL, ROUTES }).problems[0]?.remedy ?? '', /at most 31536000 seconds/);
  });

  for (const name of [
    'content-length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'upgrade',
    'Expect',
    'DLO-Event-Id',
  ]) {
    it(`reject the header ${name}`, () => {
      const problems = problemsOf({ target: { ...target, headers: { [name]: '1' } } });

      assert.deepEqual(problems, [
        `ROUTES[0].target.headers.${name}: Remove it: this header is set with each delivery.`,
      ]);
    });
  }

  it('reject a header that is named twice, in upper and lower case', () => {
    const problems = problemsOf({ target: { ...target, headers: { Host: 'a', host: 'b' } } });

    assert.deepEqual(problems, [
      'ROUTES[0].target.headers: Give each header once: names in upper and lower case are the same.',
    ]);
  });

  it('reject a header with an invalid HTTP name or value', () => {
    const problems = problemsOf({ target: { ...target, headers: { 'my header': '1', mine: 'a\nb' } } });

    assert.equal(problems.length, 2);
  });

  it('reads the masks of all events, and names a path that it cannot read', () => {
    const env = { DATABASE_URL: 'postgres://localhost/dlq' };
    assert.deepEqual(readConfig({ ...env, MASKS: ' $.customer.email, headers.x-user,' }).masks, [
      '$.customer.email',
      'headers.x-user',
    ]);
    assert.throws(() => readConfig({ ...env, MASKS: 'customer.email' }), /MASKS.*\n.*Use a path such as/);
  });
});
