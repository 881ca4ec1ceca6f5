import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openResource, propagation } from '../../../infra/dynamic/dynamic-code.ts';
import { all, allOwn, deployed } from '../../support/deployment-program.ts';
import { withGoogle } from '../../support/google.ts';

const hour = 3600;

describe('the propagation of grants', () => {
  const deps = withGoogle();
  const measureSeconds = async (work: () => Promise<void>) => {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1000;
  };

  it('takes the given time for new grants', async () => {
    const [olds, news] = [['one'], ['one', 'two']].map((grants) => ({ grants, seconds: 0.1 }));
    assert.ok(olds && news);
    assert.ok((await measureSeconds(() => propagation.apply(deps, olds))) >= 0.09);
    assert.ok((await measureSeconds(() => propagation.apply(deps, news, olds))) >= 0.09);
  });

  it('is not waited for if a grant was removed', async () => {
    const olds = { grants: ['one', 'two'], seconds: hour };
    await propagation.apply(deps, { grants: ['two'], seconds: hour }, olds);
  });

  it('is not repeated for unchanged grants, even with another delay', async () => {
    const olds = { kind: 'Propagation', grants: ['one'], seconds: 0, accessToken: 'a', options: {} } as const;
    const compare = async (news: object) => {
      const resource = openResource({ ...olds, ...news });
      await resource.check(olds);
      return resource.diff(olds);
    };
    assert.deepEqual(await compare({ accessToken: 'another' }), { changes: false });
    assert.deepEqual(await compare({ grants: ['other'] }), { changes: true });
    await propagation.apply(deps, { ...olds, seconds: hour }, olds);
  });

  it('is awaited by each function, for its build and for its secrets', async () => {
    for (const { name, waitsFor } of all(await deployed('prod'), 'cloudfunctionsv2/function:Function')) {
      assert.ok(waitsFor.includes('dlo-functions-propagation'), name);
    }
  });

  it('runs while a new database instance is created, and takes as long as grantDelaySeconds', async () => {
    const waits = allOwn(await deployed('full'), 'Propagation');
    assert.equal(waits.length, 1);
    for (const { inputs, waitsFor } of waits) {
      assert.equal(inputs.seconds, 300);
      assert.ok(!waitsFor.some((name) => name.includes('database') || name.includes('login')));
    }
  });

  it('begins again for an account that was created again', async () => {
    const waits = allOwn(await deployed('prod'), 'Propagation');
    const grants = waits[0]?.inputs.grants as readonly string[];
    for (const each of ['dlo-retry-reads-routes', 'id of dlo-retry', 'id of dlo-build']) {
      assert.ok(grants.includes(each), each);
    }
  });
});
