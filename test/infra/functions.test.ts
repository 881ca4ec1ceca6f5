import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { planFunctions, tickSeconds } from '../../infra/function-plan.ts';
import { readConfig } from '../../shared/config.ts';
import { all, at, exampleSettings, find, plainSettings, runOffice } from '../support/office-program.ts';
import type { Registered } from '../support/pulumi-program.ts';

const office = await runOffice(exampleSettings('prod'));
const open = await runOffice({ ...plainSettings, captureSecrets: 'sixteen characters' });

const made = (ran = office) => all(ran, 'cloudfunctionsv2/function:Function');
const service = ({ inputs }: Registered, key: string) => at(inputs, 'serviceConfig', key);
const variables = (each: Registered) => service(each, 'environmentVariables') as Record<string, string>;
const secretsOf = (each: Registered) =>
  service(each, 'secretEnvironmentVariables') as Record<string, string>[];

describe('the functions', () => {
  it('are all that functions/index.ts exports, and nothing else', async () => {
    const source = readFileSync('functions/index.ts', 'utf8');
    const exported = [...source.matchAll(/^export (?:const |\{ \w+ as )(\w+)/gm)].map(([, name]) => name);
    for (const ran of [office, open]) {
      const deployed = new Set(made(ran).map(({ inputs }) => at(inputs.buildConfig, 'entryPoint')));
      assert.deepEqual([...deployed].sort(), exported.sort());
    }
  });

  it('run on Node.js 24, from one bundle, each from its own entry point', () => {
    const configs = made().map(({ inputs }) => inputs.buildConfig as Record<string, unknown>);
    assert.deepEqual([...new Set(configs.map(({ runtime }) => runtime))], ['nodejs24']);
    assert.equal(new Set(configs.map(({ source }) => JSON.stringify(source))).size, 1);
    assert.equal(new Set(configs.map(({ entryPoint }) => entryPoint)).size, made().length);
  });

  it('are built anew when the bundle changed, and only then', () => {
    for (const { inputs } of made()) {
      const source = at(inputs, 'buildConfig', 'source', 'storageSource') as object;
      assert.deepEqual(source, { bucket: 'dlo-build-source-5d6e7f8', object: 'source-0123abcd.zip' });
    }
  });

  it('are built by an account of their own, after it may do so', () => {
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

  it('run each as itself, never as the default account of the project', () => {
    const accounts = made().map((each) => service(each, 'serviceAccountEmail'));
    assert.ok(
      accounts.every((email) => /^dlo-\w+@acme-prod\.iam\.gserviceaccount\.com$/.test(String(email))),
    );
    assert.equal(new Set(accounts).size, made().length);
  });

  it('cost nothing while nothing happens, and never become more than the budget has', () => {
    for (const plan of planFunctions(exampleSettings('prod'))) {
      const each = find(office, 'cloudfunctionsv2/function:Function', `dlo-${plan.name}-function`);
      assert.equal(service(each, 'minInstanceCount'), 0);
      assert.equal(service(each, 'maxInstanceCount'), plan.instances);
      assert.equal(variables(each).DB_POOL_MAX, String(plan.pool));
    }
  });

  it('have a whole CPU, without which one would answer a request at a time', () => {
    assert.deepEqual([...new Set(made().map((each) => service(each, 'availableCpu')))], ['1']);
  });

  it('that only Google Cloud calls are not to be reached from outside', () => {
    const inside = made().filter((each) => service(each, 'ingressSettings') === 'ALLOW_INTERNAL_ONLY');
    assert.deepEqual(
      inside.map(({ inputs }) => inputs.name),
      ['dlo-maintain', 'dlo-retry'],
    );
  });

  it('are called over HTTP alone, since a hidden subscription of Eventarc would forget after a day', () => {
    assert.ok(made().every(({ inputs }) => !('eventTrigger' in inputs)));
  });

  it('can all start with what they are told', () => {
    for (const each of [...made(), ...made(open)]) {
      const hidden = secretsOf(each).map(({ key = '', secret }) => [key, secretValue(String(secret), each)]);
      const env: Record<string, string> = {
        ...variables(each),
        ...Object.fromEntries(hidden),
        K_SERVICE: each.name,
      };
      assert.doesNotThrow(() => readConfig(env), each.name);
    }
  });

  it('are told of secrets by the number of their version, so that a new one starts new instances', () => {
    const retry = find(office, 'cloudfunctionsv2/function:Function', 'dlo-retry-function');
    assert.deepEqual(secretsOf(retry), [
      { key: 'ROUTES', projectId: 'acme-prod', secret: 'dlo-routes', version: '1' },
    ]);
    assert.ok(made().every((each) => !('ROUTES' in variables(each))));
  });

  it('that capture know neither routes nor the tokens in them', () => {
    const capture = find(office, 'cloudfunctionsv2/function:Function', 'dlo-capture-function');
    assert.deepEqual(secretsOf(capture), []);
  });
});

describe('the console', () => {
  const told = variables(find(office, 'cloudfunctionsv2/function:Function', 'dlo-console-function'));

  it('believes what Cloud Run says of who calls', () => {
    assert.equal(told.CLOUD_RUN_IAM, 'true');
  });

  it('knows who may act and who may look, by their addresses', () => {
    assert.equal(told.CONSOLE_OPERATORS, 'ana@acme.example,ben@acme.example');
    assert.equal(told.CONSOLE_VIEWERS, '*@acme.example');
  });
});

describe('a tick', () => {
  const retry = find(office, 'cloudfunctionsv2/function:Function', 'dlo-retry-function');

  it('stops by itself before it is given up', () => {
    assert.equal(service(retry, 'timeoutSeconds'), tickSeconds);
    assert.equal(Number(variables(retry).TICK_BUDGET_SECONDS), tickSeconds - 300);
  });

  it('can be begun while all workers are busy, each of which has an instance for itself', () => {
    const { workers } = exampleSettings('prod');
    assert.equal(variables(retry).WORKERS, String(workers));
    assert.equal(service(retry, 'maxInstanceCount'), workers + 1);
    assert.equal(service(retry, 'maxInstanceRequestConcurrency'), 1);
  });

  it('knows where to ask for more workers', () => {
    assert.equal(variables(retry).CONTINUE_TOPIC, 'projects/acme-prod/topics/dlo-continue');
  });
});

describe('an entrance for senders without a Google token', () => {
  it('is not there unless it is asked for', () => {
    assert.equal(
      made().find(({ name }) => name.includes('signed')),
      undefined,
    );
    assert.doesNotMatch(JSON.stringify(office.resources), /allUsers|allAuthenticatedUsers/);
  });

  it('is a function beside capture, which stays closed and takes what Pub/Sub pushes unsigned', () => {
    const everybody = open.resources.filter(({ inputs }) => inputs.member === 'allUsers');
    assert.deepEqual(
      everybody.map(({ inputs }) => [inputs.name, inputs.role]),
      [['dlo-signed-capture', 'roles/run.invoker']],
    );
    const demands = (name: string) =>
      secretsOf(find(open, 'cloudfunctionsv2/function:Function', name)).map(({ key }) => key);
    assert.deepEqual(demands('dlo-signed-capture-function'), ['CAPTURE_SECRETS']);
    assert.deepEqual(demands('dlo-capture-function'), []);
  });
});

function secretValue(secretId: string, { inputs }: Registered): string {
  const ran = String(inputs.project) === 'acme-prod' ? office : open;
  const version = find(ran, 'secretmanager/secretVersion:SecretVersion', `${secretId}-version`);
  return String(at(version.inputs, 'secretData', 'secret'));
}
