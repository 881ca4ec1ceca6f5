import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { planFunctions } from '../../../infra/function-plan.ts';
import type { RolloutInputs } from '../../../infra/rollout/verify-rollout.ts';
import { tickSeconds } from '../../../infra/stack-settings.ts';
import { readConfig } from '../../../shared/environment/config.ts';
import { all, at, configurations, deployed, find, runDeployment } from '../../support/deployment-program.ts';
import { type Registered, unknown } from '../../support/pulumi-program.ts';

const { prod } = configurations;
const deployment = await deployed('prod');
const open = await deployed('full');

const made = (ran = deployment) => all(ran, 'cloudfunctionsv2/function:Function');
const service = ({ inputs }: Registered, key: string) => at(inputs, 'serviceConfig', key);
const variables = (each: Registered) => service(each, 'environmentVariables') as Record<string, string>;
const secretsOf = (each: Registered) =>
  service(each, 'secretEnvironmentVariables') as Record<string, string>[];

describe('the functions', () => {
  it('are exactly the exports of functions/index.ts', async () => {
    const source = readFileSync('functions/index.ts', 'utf8');
    const exported = [...source.matchAll(/^export (?:const |\{ \w+ as )(\w+)/gm)].map(([, name]) => name);
    for (const ran of [deployment, open]) {
      const deployed = new Set(made(ran).map(({ inputs }) => at(inputs.buildConfig, 'entryPoint')));
      assert.deepEqual([...deployed].sort(), exported.sort());
    }
  });

  it('run on Node.js 24 from one bundle, each with its own entry point', () => {
    const configs = made().map(({ inputs }) => inputs.buildConfig as Record<string, unknown>);
    assert.deepEqual([...new Set(configs.map(({ runtime }) => runtime))], ['nodejs24']);
    assert.equal(new Set(configs.map(({ source }) => JSON.stringify(source))).size, 1);
    assert.equal(new Set(configs.map(({ entryPoint }) => entryPoint)).size, made().length);
  });

  it('are rebuilt only if the bundle changed', () => {
    for (const { inputs } of made()) {
      const source = at(inputs, 'buildConfig', 'source', 'storageSource') as object;
      assert.deepEqual(source, { bucket: 'dlo-build-source-5d6e7f8', object: 'source-0123abcd.zip' });
    }
  });

  it('are built by a dedicated account, once its grants exist', () => {
    const grants = ['writes-images', 'reads-source', 'reads-copy', 'writes-logs'].map(
      (what) => `dlo-build-${what}`,
    );
    for (const { inputs, waitsFor } of made()) {
      assert.match(String(at(inputs, 'buildConfig', 'serviceAccount')), /dlo-build@acme-prod/);
      assert.match(String(at(inputs, 'buildConfig', 'dockerRepository')), /repositories\/dlo-build-images$/);
      assert.deepEqual(
        grants.filter((grant) => !waitsFor.includes(grant)),
        [],
      );
    }
  });

  it('run with a service account each, not with the default account of the project', () => {
    const accounts = made().map((each) => service(each, 'serviceAccountEmail'));
    assert.ok(
      accounts.every((email) => /^dlo-\w+@acme-prod\.iam\.gserviceaccount\.com$/.test(String(email))),
    );
    assert.equal(new Set(accounts).size, made().length);
  });

  it('scale to zero, and to no more instances than the connection budget', () => {
    for (const plan of planFunctions(prod)) {
      const each = find(deployment, 'cloudfunctionsv2/function:Function', `dlo-${plan.name}-function`);
      assert.equal(service(each, 'minInstanceCount'), 0);
      assert.equal(service(each, 'maxInstanceCount'), plan.instances);
      assert.equal(variables(each).DB_POOL_MAX, String(plan.pool));
    }
  });

  it('have a whole CPU, which concurrent requests require', () => {
    assert.deepEqual([...new Set(made().map((each) => service(each, 'availableCpu')))], ['1']);
  });

  for (const [mebibytes, memory] of [
    [16, '512Mi'],
    [32, '1Gi'],
    [64, '2Gi'],
    [128, '4Gi'],
  ] as const) {
    it(`have ${memory} for captures of up to ${mebibytes} MiB each`, () => {
      const [capture] = planFunctions({ ...prod, maxBodyBytes: mebibytes * 2 ** 20 });
      assert.equal(capture?.memory, memory);
    });
  }

  it('accept internal traffic only if Google Cloud is their only caller', () => {
    const inside = made().filter((each) => service(each, 'ingressSettings') === 'ALLOW_INTERNAL_ONLY');
    assert.deepEqual(
      inside.map(({ inputs }) => inputs.name),
      ['dlo-maintain', 'dlo-retry'],
    );
  });

  it('are deleted before they are replaced, since their names are given', () => {
    assert.ok(made().every(({ deleteBeforeReplace }) => deleteBeforeReplace));
  });

  it('carry a hash of their source and configuration, by which the update verifies what serves', async () => {
    const hashOf = (ran: typeof deployment, name: string) =>
      variables(find(ran, 'cloudfunctionsv2/function:Function', `dlo-${name}-function`)).DEPLOYMENT_HASH;
    const changed = await runDeployment({ ...prod, batchSize: 499 });
    assert.match(String(hashOf(deployment, 'retry')), /^[0-9a-f]{32}$/);
    assert.notEqual(hashOf(changed, 'retry'), hashOf(deployment, 'retry'));
    assert.equal(hashOf(changed, 'capture'), hashOf(deployment, 'capture'));
    const rollout = deployment.resources.find(({ name }) => name === 'dlo-rollout');
    const service = 'projects/acme-prod/locations/europe-west1/services/dlo-retry';
    const services = rollout?.inputs.services as RolloutInputs['services'];
    const verified = services.find((each) => each.service === service);
    assert.equal(verified?.deployment, hashOf(deployment, 'retry'));
    assert.equal(services.length, made().length);
  });

  it('are built again by a new attempt, which is counted for the deployment that they carry', () => {
    const builds = deployment.resources.find(({ name }) => name === 'dlo-functions-builds');
    assert.equal(builds?.inputs.prefix, 'projects/acme-prod/locations/europe-west1/services/dlo-');
    for (const each of made()) {
      const name = String(each.inputs.name).replace('dlo-', '');
      assert.equal(at(builds?.inputs.deployments, name), variables(each).DEPLOYMENT_HASH);
      assert.equal(at(each.inputs.buildConfig, 'environmentVariables', 'BUILD_ATTEMPT'), '1');
      assert.ok(each.waitsFor.includes('dlo-functions-builds'));
    }
  });

  it('count no attempt of an update whose migration fails', () => {
    const builds = deployment.resources.find(({ name }) => name === 'dlo-functions-builds');
    assert.ok(builds?.waitsFor.includes('dlo-migrations'));
  });

  it('are called over HTTP only, since an Eventarc subscription keeps messages for a day', () => {
    assert.ok(made().every(({ inputs }) => !('eventTrigger' in inputs)));
  });

  it('start with the variables that the deployment sets', () => {
    for (const each of [...made(), ...made(open)]) {
      const hidden = secretsOf(each).map(({ key = '', secret }) => [key, secretValue(String(secret))]);
      const env: Record<string, string> = {
        ...variables(each),
        ...Object.fromEntries(hidden),
        K_SERVICE: each.name,
      };
      assert.doesNotThrow(() => readConfig(env), each.name);
    }
  });

  it('get secrets by version number, so that a new version starts new instances', () => {
    const retry = find(deployment, 'cloudfunctionsv2/function:Function', 'dlo-retry-function');
    assert.deepEqual(secretsOf(retry), [
      { key: 'ROUTES', projectId: 'acme-prod', secret: 'dlo-routes', version: '1' },
    ]);
    assert.ok(made().every((each) => !('ROUTES' in variables(each))));
  });

  it('get no routes, with their tokens, if they only capture', () => {
    const capture = find(deployment, 'cloudfunctionsv2/function:Function', 'dlo-capture-function');
    assert.deepEqual(secretsOf(capture), []);
  });
});

describe('a function that was never built, since its first build failed', () => {
  it('can be previewed, so that the update builds it again', async () => {
    const ran = await runDeployment(prod, { isPreview: true, neverMade: 'dlo-capture-function' });
    const { inputs } = find(ran, 'pubsub/subscription:Subscription', 'dlo-capture-push');
    assert.equal(at(inputs, 'pushConfig', 'pushEndpoint'), unknown);
  });
});

describe('a tick', () => {
  const retry = find(deployment, 'cloudfunctionsv2/function:Function', 'dlo-retry-function');

  it('stops claiming 300 s before Cloud Scheduler times out', () => {
    assert.equal(service(retry, 'timeoutSeconds'), tickSeconds);
    assert.equal(Number(variables(retry).TICK_BUDGET_SECONDS), tickSeconds - 300);
  });

  it('can start while all workers are busy', () => {
    const { workers } = prod;
    assert.equal(variables(retry).WORKERS, String(workers));
    assert.equal(service(retry, 'maxInstanceCount'), workers + 1);
    assert.equal(service(retry, 'maxInstanceRequestConcurrency'), 1);
  });

  it('has a topic for requesting more workers', () => {
    assert.equal(variables(retry).CONTINUE_TOPIC, 'projects/acme-prod/topics/dlo-continue');
  });
});

describe('capture for senders without a Google token', () => {
  it('is not created by default', () => {
    assert.equal(
      made().find(({ name }) => name.includes('signed')),
      undefined,
    );
    assert.doesNotMatch(JSON.stringify(deployment.resources), /allUsers|allAuthenticatedUsers/);
  });

  it('is a second function, so that capture stays closed and accepts unsigned pushes of Pub/Sub', () => {
    const publicGrants = open.resources.filter(({ inputs }) => inputs.member === 'allUsers');
    assert.deepEqual(
      publicGrants.map(({ inputs }) => [inputs.name, inputs.role]),
      [['dlo-signed-capture', 'roles/run.invoker']],
    );
    const secretNames = (name: string) =>
      secretsOf(find(open, 'cloudfunctionsv2/function:Function', name)).map(({ key }) => key);
    assert.deepEqual(secretNames('dlo-signed-capture-function'), ['SOURCES', 'CAPTURE_SECRETS']);
    assert.deepEqual(secretNames('dlo-capture-function'), ['SOURCES']);
  });
});

function secretValue(secretId: string): string {
  const version = find(open, 'secretmanager/secretVersion:SecretVersion', `${secretId}-version`);
  return String(at(version.inputs, 'secretData', 'secret'));
}
