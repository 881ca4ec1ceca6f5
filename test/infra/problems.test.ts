import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as pulumi from '@pulumi/pulumi';
import { checkSettings, explainKnown, orStop } from '../../infra/check-settings.ts';
import { ConfigError, type Problem } from '../../shared/errors.ts';
import { plainSettings } from '../support/deployment-program.ts';

function findProblem(own: object): Problem | undefined {
  try {
    checkSettings({ ...plainSettings, ...own });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems[0];
    throw error;
  }
  return undefined;
}

describe('a problem of the settings', () => {
  it('shows the value of a setting that is no secret', () => {
    const { field, value } = findProblem({ batchSize: 0 }) ?? {};
    assert.deepEqual([field, value], ['batchSize', 0]);
  });

  it('names settings in place of variables, and leaves other words as they are', () => {
    const routes = [{ target: { kind: 'http', url: 'ftp://x' } }];
    assert.deepEqual(findProblem({ routes }), {
      field: 'routes[0].target.url',
      value: 'ftp://x',
      remedy: 'Must be an http:// or https:// URL without user name or password.',
    });
  });

  it('shows the value of a setting that is no output, if it is found once outputs are known', () => {
    const privateSubnetwork = 'projects/acme-test/regions/us-central1/subnetworks/dlo';
    const planned = checkSettings({
      ...plainSettings,
      privateNetwork: pulumi.output('later'),
      privateSubnetwork,
    });
    const said = explainKnown(planned, { ...planned, privateNetwork: 'projects/acme-net/global/networks/n' });
    assert.match(said, /privateSubnetwork = "projects\/acme-test\/regions.*\n.*of project acme-net/);
    const same = { ...planned, privateNetwork: 'projects/acme-test/global/networks/n' };
    assert.equal(explainKnown(planned, same), '');
  });

  it('stops the program without a stack trace, unlike a fault of the program', () => {
    const problem = { field: 'tier', value: 'huge', remedy: 'Use db-f1-micro.' };
    const stop = () =>
      orStop(() => {
        throw new ConfigError([problem]);
      });
    assert.throws(stop, (error) => pulumi.RunError.isInstance(error) && /tier = "huge"/.test(error.message));
    const fault = new TypeError('undefined is not a function');
    const fail = () =>
      orStop(() => {
        throw fault;
      });
    assert.throws(fail, (error) => error === fault);
  });
});
