import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as pulumi from '@pulumi/pulumi';
import { checkSettings } from '../../../infra/check-settings.ts';
import type { SettingsInput } from '../../../infra/settings.ts';
import type { ConfigError } from '../../../shared/errors.ts';
import {
  all,
  allOwn,
  anOutput,
  configurations,
  plainSettings,
  runDeployment,
} from '../../support/deployment-program.ts';
import { unknown } from '../../support/pulumi-program.ts';
import { pickVariant } from '../../support/sample.ts';

const key = 'projects/acme-keys/locations/europe-west1/keyRings/data/cryptoKeys/dlo';
const plain = {
  ...configurations.full,
  // Whether a subscription is in the project of the deployment is not known in time: it gets an agent of its own.
  sources: configurations.full.sources.filter(({ name }) => name !== 'orders'),
  existingInstance: 'acme-prod:europe-west1:main',
  maxConnections: 500,
  kmsKey: key,
  repository: 'projects/acme-prod/locations/europe-west1/repositories/functions',
  sourceBucket: 'acme-sources',
  workerPool: 'projects/acme-prod/locations/europe-west1/workerPools/private',
  exportBucket: 'acme-archive',
  serviceAccounts: { build: 'build@acme-prod.iam.gserviceaccount.com' },
  databaseFlags: { log_parameter_max_length: '0' },
  environmentName: 'test',
};

/** Returns a value with each of its texts replaced by what `give` makes of it. */
function replaceTexts(value: unknown, give: (text: string, field: string) => unknown, field = ''): unknown {
  if (typeof value === 'string') return value === '' ? value : give(value, field);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => {
    return [name, replaceTexts(each, give, field ? `${field}.${name}` : name)];
  });
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

function problemsOf(settings: unknown): string[] {
  try {
    checkSettings(settings);
    return [];
  } catch (error) {
    return (error as ConfigError).problems.map(({ field, value, remedy }) => `${field}: ${value}: ${remedy}`);
  }
}

/** The texts of these settings that may be outputs. */
const allowed = new Set<string>();
replaceTexts(plain, (_, field) => {
  const one = replaceTexts(plain, (text, each) => (each === field ? pulumi.output(text) : text));
  if (problemsOf(one).length === 0) allowed.add(field);
});
/** Grants on these have names of their own: those of members and topics are not known in time. */
const isNamedBy = (field: string) => /^sources\.\d+\.member$|target\.topic$/.test(field);
const decisive = /target\.kind$/;
const withOutputs = (
  make: (text: string) => unknown,
  isGiven = (field: string) => allowed.has(field) && !decisive.test(field),
) => replaceTexts(plain, (text, field) => (isGiven(field) ? make(text) : text)) as SettingsInput;

async function runOrigin(settings: object) {
  const [origin] = allOwn(await runDeployment(settings as SettingsInput), 'Origin');
  assert.ok(origin);
  return origin;
}

describe('a setting that is an output of another resource', () => {
  it('is taken for each text by which no resource is planned', () => {
    const fields = new Set([...allowed].map((field) => field.replace(/\.\d+/g, '[]')));
    assert.deepEqual([...fields].filter((field) => !field.startsWith('routes')).sort(), [
      'alertEmail',
      'captureSecrets',
      'databaseFlags.log_parameter_max_length',
      'deployer',
      'environmentName',
      'existingInstance',
      'exportBucket',
      'kmsKey',
      'notificationChannels[]',
      'privateNetwork',
      'privateSubnetwork',
      'project',
      'region',
      'repository',
      'runbookUrl',
      'serviceAccounts.build',
      'sourceBucket',
      'sources[].member',
      'sources[].topic',
      'workerPool',
    ]);
    assert.ok(fields.has('routes[].target.url'));
    const { elsewhere } = configurations;
    const databaseUrls = replaceTexts(elsewhere.databaseUrls, (text) => pulumi.secret(text));
    assert.deepEqual(problemsOf({ ...elsewhere, databaseUrls }), []);
  });

  it('is refused for every other setting, with the reason, all at once', () => {
    const settings = {
      ...plainSettings,
      name: pulumi.output('dlo'),
      workers: pulumi.output(4),
      operators: [pulumi.output('user:ana@acme.example')],
      sources: pulumi.output([]),
      availability: pulumi.output('ZONAL'),
    };
    const problems = problemsOf(settings);
    assert.deepEqual(
      problems.map((problem) => problem.replace(/:.*/, '')),
      ['name', 'availability', 'workers', 'sources', 'operators[0]'],
    );
    for (const problem of problems) assert.match(problem, /: \(an output\): Use a plain value: it decides/);
  });

  it('makes the resources that the plain value makes', async () => {
    const isGiven = (field: string) => allowed.has(field) && !decisive.test(field) && !isNamedBy(field);
    const made = await runDeployment(withOutputs(anOutput, isGiven));
    assert.deepEqual(made, await runDeployment(plain as SettingsInput));
  });

  it('makes as many resources in a preview that does not know it', async () => {
    const options = { isPreview: true };
    const made = await runDeployment(
      withOutputs(() => anOutput()),
      options,
    );
    const known = await runDeployment(plain as SettingsInput, options);
    assert.equal(made.resources.length, known.resources.length);
    const [topic] = all(made, 'pubsub/topic:Topic');
    assert.deepEqual([topic?.inputs.project, topic?.inputs.kmsKeyName], [unknown, unknown]);
    const grants = all(made, 'pubsub/topicIAMMember:TopicIAMMember').map(({ name }) => name);
    assert.deepEqual(
      grants.filter((name) => name.includes('-retry-delivers-')),
      ['dlo-retry-delivers-to-topic-0'],
    );
  });

  it('leaves the builds of functions that do not get it as they are, while it is not known', async () => {
    const listBuilds = async (environmentName: unknown) => {
      const settings = { ...configurations.plain, environmentName } as SettingsInput;
      const [builds] = allOwn(await runDeployment(settings), 'BuildAttempts');
      return builds?.inputs.deployments as Readonly<Record<string, string>>;
    };
    const { console: planned, ...others } = await listBuilds(anOutput());
    const { console: _, ...known } = await listBuilds('test');
    assert.equal(planned, unknown);
    assert.deepEqual(others, known);
  });

  it('is checked as soon as it is known, without showing its value', async () => {
    const key = anOutput('the value');
    const { inputs } = await runOrigin({ ...plainSettings, kmsKey: key, workers: 3 });
    assert.match(String(inputs.problems), /kmsKey = "\(an output\)"\n {4}Must look like projects/);
    const good = await runOrigin({ ...plainSettings, alertEmail: anOutput('oncall@acme.example') });
    assert.equal(good.inputs.problems, '');
  });

  it('is refused once it is known if other resources were planned for it', async () => {
    const elsewhere = anOutput('acme-shared:us-central1:main');
    const instance = { existingInstance: elsewhere, maxConnections: 100 };
    const route = {
      match: {},
      target: { kind: anOutput('pubsub'), topic: 'projects/acme-test/topics/a' },
    };
    const planned = { existingInstance: instance, routes: { routes: [route] } };
    for (const [field, own] of pickVariant('planned for', Object.entries(planned))) {
      const { inputs } = await runOrigin({ ...plainSettings, ...own });
      assert.match(String(inputs.problems), new RegExp(`${field} = "\\(an output\\)"\n +Use a plain value`));
    }
  });
});
