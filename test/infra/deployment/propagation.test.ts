import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Propagation } from '../../../infra/propagation/propagation.ts';
import {
  all,
  exampleSettings,
  find,
  plainSettings,
  runDeployment,
} from '../../support/deployment-program.ts';
import { registerInputs, useDynamicProvider } from '../../support/dynamic-provider.ts';

const type = 'pulumi-nodejs:dynamic/dead-letter-office:Propagation';

describe('the propagation of grants', () => {
  const provider = useDynamicProvider();
  const register = async (grants: readonly string[], seconds: number) => ({
    ...(await registerInputs(() => new Propagation('wait', { grants: [], accounts: grants, seconds }))),
  });
  const measure = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1000;
  };

  it('takes the given time for new grants', async () => {
    const inputs = await register(['one'], 0.3);
    assert.ok((await measure(() => provider().create(inputs))) >= 0.29);
    const more = await register(['one', 'two'], 0.3);
    assert.ok((await measure(() => provider().update(inputs, more))) >= 0.29);
  });

  it('is not waited for if a grant was removed', async () => {
    const [olds, news] = [await register(['one', 'two'], 60), await register(['two'], 60)];
    assert.ok((await measure(() => provider().update(olds, news))) < 30);
  });

  it('is not repeated for unchanged grants, or for another delay', async () => {
    const olds = await register(['one'], 60);
    assert.deepEqual(await provider().diff(olds, await register(['one'], 90)), {
      changes: false,
      replaces: [],
    });
    assert.equal((await provider().diff(olds, await register(['other'], 60))).changes, true);
  });

  it('is awaited by each function, for its build and for its secrets', async () => {
    const ran = await runDeployment(exampleSettings('prod'));
    for (const { name, waitsFor } of all(ran, 'cloudfunctionsv2/function:Function')) {
      assert.ok(waitsFor.includes('dlo-build-propagation'), name);
      const own = name.replace('-function', '-propagation');
      assert.equal(waitsFor.includes(own), name !== 'dlo-capture-function', name);
    }
  });

  it('runs while a new database instance is created, and takes as long as grantDelaySeconds', async () => {
    const ran = await runDeployment({ ...plainSettings, grantDelaySeconds: 300 });
    const waits = ran.resources.filter((each) => each.type === type);
    assert.equal(waits.length, 5);
    for (const { inputs, waitsFor } of waits) {
      assert.equal(inputs.seconds, 300);
      assert.ok(!waitsFor.some((name) => name.includes('database') || name.includes('login')));
    }
  });

  it('begins again for an account that was created again', async () => {
    const ran = await runDeployment(plainSettings);
    const wait = ran.resources.find(({ name }) => name === 'dlo-retry-propagation');
    assert.deepEqual(wait?.inputs.grants, ['dlo-retry-reads-routes', 'id of dlo-retry']);
    assert.equal(
      find(ran, 'serviceaccount/account:Account', 'dlo-retry-account').inputs.accountId,
      'dlo-retry',
    );
  });
});
