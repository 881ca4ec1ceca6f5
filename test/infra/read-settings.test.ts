import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSettings } from '../../infra/check-settings.ts';
import { ConfigError } from '../../shared/errors.ts';
import { fields, namespace, problemsOf, readStack } from '../support/stack-settings.ts';

describe('the configuration of a stack', () => {
  it('needs only a project and a deployer', () => {
    const { tier, schedule, batchSize, maxRetries, deletionProtection } = readStack({});
    assert.deepEqual(
      { tier, schedule, batchSize, maxRetries, deletionProtection },
      {
        tier: 'db-custom-1-3840',
        schedule: '0 */6 * * *',
        batchSize: 500,
        maxRetries: 240,
        deletionProtection: true,
      },
    );
  });

  it('reads numbers, booleans and lists from the strings that Pulumi passes', () => {
    const { workers, paused, operators } = readStack({
      workers: '4',
      paused: 'true',
      operators: '["user:ana@acme.example"]',
    });
    assert.deepEqual(
      { workers, paused, operators },
      { workers: 4, paused: true, operators: ['user:ana@acme.example'] },
    );
  });

  it('keeps a string that looks like a number', () => {
    const own = { captureSecrets: '12345678901234567890' };
    const { captureSecrets } = readStack(own, { secretKeys: [`${namespace}:captureSecrets`] });
    assert.equal(captureSecrets, '12345678901234567890');
  });

  it('reports every problem at once, including those that the code of the functions finds', () => {
    const problems = problemsOf({
      region: 'Europe',
      tier: 'db-n1-standard-1',
      timeZone: '+02:00',
      batchSize: '0',
      routes: '[{"target": {"kind": "fax"}}]',
      operators: '["allUsers"]',
      viewers: '["group:all@acme.example"]',
      wrokers: '2',
    });
    const expected = [
      'batchSize',
      'operators[0]',
      'region',
      'routes[0].target.kind',
      'tier',
      'timeZone',
      'viewers[0]',
      'wrokers',
    ];
    assert.deepEqual(fields(problems).sort(), expected);
    assert.ok(problems.every(({ remedy }) => remedy.length > 0));
  });

  it('rejects a schedule that Cloud Scheduler would reject at the end of the update', () => {
    assert.deepEqual(fields(problemsOf({ schedule: '99 99 * * *' })), ['schedule']);
    assert.deepEqual(fields(problemsOf({ schedule: '0 0 30 2 *' })), ['schedule']);
  });

  it('rejects addresses that are not in lower case, which Google Cloud would store in another spelling', () => {
    assert.deepEqual(fields(problemsOf({ deployer: 'user:Ana@Acme.Example' })), ['deployer']);
    const lists = {
      operators: '["user:Ana@acme.example"]',
      viewers: '["domain:Acme.example"]',
      sources: '[{"name": "a", "kind": "caller", "member": "serviceAccount:A@acme.iam.gserviceaccount.com"}]',
    };
    assert.deepEqual(fields(problemsOf(lists)).sort(), ['operators[0]', 'sources[0].member', 'viewers[0]']);
  });

  it('rejects a deployer of the wrong kind', () => {
    const robot = 'deploy@acme-test.iam.gserviceaccount.com';
    assert.deepEqual(fields(problemsOf({ deployer: `user:${robot}` })), ['deployer']);
    assert.deepEqual(fields(problemsOf({ deployer: 'serviceAccount:ana@acme.example' })), ['deployer']);
    assert.equal(readStack({ deployer: `serviceAccount:${robot}` }).deployer, `serviceAccount:${robot}`);
  });

  it('reports secrets that are not encrypted together with all other problems', () => {
    const problems = problemsOf({ captureSecrets: 'sixteen characters', batchSize: '0' });
    assert.deepEqual(fields(problems).sort(), ['batchSize', 'captureSecrets']);
  });

  it('reports missing settings', () => {
    assert.deepEqual(fields(problemsOf({}, { without: 'gcp:project' })), ['project']);
    assert.deepEqual(fields(problemsOf({}, { without: `${namespace}:deployer` })), ['deployer']);
  });

  it('rejects a lease that a delivery may outlast', () => {
    const route = {
      target: { kind: 'http', url: 'https://billing.example/' },
      policy: { timeoutSeconds: 900 },
    };
    const problems = problemsOf({ routes: JSON.stringify([route]) });
    assert.deepEqual(fields(problems), ['routes[0].policy.timeoutSeconds']);
    assert.match(
      String(problems[0]?.remedy),
      /a second shorter than leaseSeconds \(300\).* raise leaseSeconds\.$/,
    );
  });

  it('rejects a lease longer than half a tick', () => {
    assert.deepEqual(fields(problemsOf({ leaseSeconds: '901' })), ['leaseSeconds']);
    assert.equal(readStack({ leaseSeconds: '900' }).leaseSeconds, 900);
  });

  it('reports values that the functions would reject under the names of the settings', () => {
    const own = {
      retainMonths: '-1',
      exportArchive: 'true',
      exportBucket: 'gs://archive',
      sourceBucket: 'gs://sources',
      openWarnDays: '0',
    };
    const expected = ['exportBucket', 'openWarnDays', 'retainMonths', 'sourceBucket'];
    assert.deepEqual(fields(problemsOf(own)).sort(), expected);
    const further = { sourceRetentionDays: '-1', filterCostLimit: '-1' };
    assert.deepEqual(fields(problemsOf(further)).sort(), ['filterCostLimit', 'sourceRetentionDays']);
  });

  it('rejects settings that contradict each other', () => {
    const existing = problemsOf({
      existingInstance: 'acme:europe-west1:shared',
      privateNetwork: 'projects/acme/global/networks/n',
    });
    assert.deepEqual(fields(existing), ['maxConnections', 'privateSubnetwork']);
    const source = { name: 'billing', kind: 'caller', member: 'user:ana@acme.example' };
    assert.deepEqual(fields(problemsOf({ sources: JSON.stringify([source, source]) })), ['sources[1].name']);
    const routes = ['dlo-capture', 'orders', 'orders'].map((topic) => {
      return { target: { kind: 'pubsub', topic: `projects/acme-test/topics/${topic}` } };
    });
    const [circle, ...others] = problemsOf({ routes: JSON.stringify(routes) });
    assert.deepEqual([circle?.field, circle?.value, others], ['routes', routes[0]?.target.topic, []]);
    const ana = '["user:ana@acme.example"]';
    const group = '["group:oncall@acme.example"]';
    assert.deepEqual(fields(problemsOf({ operators: group, viewers: ana })), ['operators[0]']);
  });

  it('reports an invalid setting once, not what its default would contradict', () => {
    assert.deepEqual(fields(problemsOf({ tier: 'huge', workers: '100' })), ['tier']);
  });

  it('hides no value of a secret that has none', () => {
    const databaseUrls = { capture: undefined } as never;
    const check = () =>
      checkSettings({ project: 'acme-test', deployer: 'user:ana@acme.example', databaseUrls });
    const problems = [{ field: 'databaseUrls.capture', value: undefined, remedy: 'Use a string.' }];
    assert.throws(check, (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(error.problems.slice(0, 1), problems);
      return true;
    });
  });

  it('rejects readers and flags that the deployment cannot apply', () => {
    const databaseUrls = '{"capture": "postgres://10.0.0.1/x"}';
    const outside = { databaseUrls, maxConnections: '100', readers: '["user:dan@acme.example"]' };
    assert.ok(fields(problemsOf(outside)).includes('readers'));
    const flags = { max_connections: '5000', 'cloudsql.iam_authentication': 'off' };
    for (const [name, value] of Object.entries(flags)) {
      const databaseFlags = JSON.stringify({ [name]: value });
      assert.deepEqual(fields(problemsOf({ databaseFlags })), [`databaseFlags.${name}`]);
    }
  });

  it('rejects a repository that Cloud Functions would reject at the end of the update', () => {
    for (const place of ['acme-images/locations/europe-west1', 'acme-test/locations/us-east1']) {
      const repository = `projects/${place}/repositories/functions`;
      assert.deepEqual(fields(problemsOf({ repository })), ['repository']);
    }
  });

  it('requires a URL for each function if databaseUrls is set', () => {
    const more = { maxConnections: '100' };
    const databaseUrls = '{"capture": "mysql://10.0.0.1/x", "fax": "postgres://10.0.0.1/x"}';
    const problems = problemsOf({ databaseUrls, ...more });
    assert.deepEqual(fields(problems).sort(), ['databaseUrls', 'databaseUrls.capture', 'databaseUrls.fax']);
    const one = problemsOf({ databaseUrls: '{"capture": "postgres://10.0.0.1/x"}', ...more });
    const missing = ['console', 'maintain', 'replay', 'retry'].map((name) => `databaseUrls.${name}`);
    assert.deepEqual(fields(one).sort(), ['databaseUrls', ...missing]);
    assert.ok(problems.every(({ value }) => value === undefined || value === '(not shown)'));
  });

  it('requires secrets to be encrypted in the stack file', () => {
    const problems = problemsOf({ captureSecrets: 'sixteen characters' });
    assert.deepEqual(problems, [
      {
        field: 'captureSecrets',
        value: '(not shown)',
        remedy: "Encrypt it: pulumi config set --secret --path 'captureSecrets' ...",
      },
    ]);
  });

  it('requires the secrets of sources to be encrypted, too', () => {
    const reads = { secret: 'sixteen characters' };
    const sources = JSON.stringify([
      { name: 'orders', kind: 'subscription', subscription: 'projects/acme-test/subscriptions/orders' },
      { name: 'stripe', kind: 'caller', member: 'user:ana@acme.example', reads },
    ]);
    const remedy = "Encrypt it: pulumi config set --secret --path 'sources[1].reads.secret' ...";
    assert.deepEqual(problemsOf({ sources }), [
      { field: 'sources[1].reads.secret', value: '(not shown)', remedy },
    ]);
    assert.equal(readStack({ sources }, { secretKeys: [`${namespace}:sources`] }).sources.length, 2);
  });

  it('never shows values that may be secret', () => {
    const own = {
      databaseUrls: 'postgres://u:hunter2@h/x',
      routes: '[{"headers": "hunter2"',
      captureSecrets: 'hunter2',
      sources: '[{"name": "stripe", "kind": "caller", "member": "x", "reads": {"secret": "hunter2"}}]',
    };
    assert.doesNotMatch(JSON.stringify(problemsOf(own)), /hunter2/);
  });
});
