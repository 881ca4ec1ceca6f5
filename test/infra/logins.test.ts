import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fields, problemsOf, readStack } from '../support/stack-settings.ts';

describe('the logins of a stack', () => {
  it('rejects an account or a reader that has a login already', () => {
    const same = 'shared@acme.iam.gserviceaccount.com';
    const serviceAccounts = JSON.stringify({ capture: same, retry: same });
    assert.deepEqual(problemsOf({ serviceAccounts }), [
      {
        field: 'serviceAccounts.retry',
        value: same,
        remedy: 'Use another one: serviceAccounts.capture has it.',
      },
    ]);
    const deployer = `serviceAccount:${same}`;
    const running = problemsOf({ deployer, serviceAccounts: JSON.stringify({ replay: same }) });
    assert.deepEqual(fields(running), ['serviceAccounts.replay']);
    const [ana, dan] = ['user:ana@acme.example', 'user:dan@acme.example'];
    const readers = JSON.stringify([dan, ana, dan]);
    assert.deepEqual(fields(problemsOf({ deployer: ana, readers })), ['readers[1]', 'readers[2]']);
  });

  it('rejects an account whose login PostgreSQL would cut', () => {
    const long = `${'a'.repeat(30)}@${'p'.repeat(29)}.iam.gserviceaccount.com`;
    const [fits, exceeds] = [52, 53].map((length) => `${'a'.repeat(length)}@acme.examp`);
    const project = 'subsidiary-of-acme.example.com:acme-test';
    readStack({
      deployer: `user:${fits}`,
      readers: JSON.stringify([`group:${fits}`]),
      serviceAccounts: JSON.stringify({ replay: long.slice(1) }),
    });
    readStack({ deployer: `serviceAccount:${long.slice(1)}`, project });
    for (const deployer of [`user:${exceeds}`, `serviceAccount:${long}`])
      assert.deepEqual(fields(problemsOf({ deployer })), ['deployer']);
    assert.deepEqual(fields(problemsOf({ readers: `["user:${exceeds}"]` })), ['readers[0]']);
    assert.deepEqual(problemsOf({ serviceAccounts: JSON.stringify({ retry: long }) }), [
      {
        field: 'serviceAccounts.retry',
        value: long,
        remedy:
          'Must be the address of a service account. A login has at most 63 characters, without .gserviceaccount.com.',
      },
    ]);
    assert.deepEqual(fields(problemsOf({ project, name: 'four' })), ['name']);
  });
});
