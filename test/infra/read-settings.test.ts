import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSettings } from '../../infra/read-settings.ts';
import { ConfigError, type Problem } from '../../shared/errors.ts';

const namespace = 'dead-letter-office';
const least = { 'gcp:project': 'acme-test', [`${namespace}:deployer`]: 'user:ana@acme.example' };

function read(own: Record<string, string>, { without = '', secretKeys = [] as string[] } = {}) {
  const given = Object.entries(own).map(([key, value]) => [`${namespace}:${key}`, value]);
  const values = Object.fromEntries([...Object.entries(least), ...given].filter(([key]) => key !== without));
  return readSettings({ namespace, values, secretKeys });
}

function refuse(own: Record<string, string>, options = {}): readonly Problem[] {
  try {
    read(own, options);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return assert.fail('It was accepted.');
}
const fields = (problems: readonly Problem[]) => problems.map(({ field }) => field);

describe('the configuration of a stack', () => {
  it('needs no more than a project and somebody who deploys', () => {
    const { tier, schedule, batchSize, maxRetries, deletionProtection } = read({});
    assert.deepEqual(
      { tier, schedule, batchSize, maxRetries, deletionProtection },
      {
        tier: 'db-custom-1-3840',
        schedule: '0 */6 * * *',
        batchSize: 50,
        maxRetries: 240,
        deletionProtection: true,
      },
    );
  });

  it('takes numbers, switches and lists from the text that Pulumi makes of them', () => {
    const { workers, paused, operators } = read({
      workers: '4',
      paused: 'true',
      operators: '["user:ana@acme.example"]',
    });
    assert.deepEqual(
      { workers, paused, operators },
      { workers: 4, paused: true, operators: ['user:ana@acme.example'] },
    );
  });

  it('keeps text that looks like a number', () => {
    const own = { captureSecrets: '12345678901234567890' };
    const { captureSecrets } = read(own, { secretKeys: [`${namespace}:captureSecrets`] });
    assert.equal(captureSecrets, '12345678901234567890');
  });

  it('names everything that is wrong at once, also what only the functions can judge', () => {
    const problems = refuse({
      region: 'Europe',
      tier: 'db-n1-standard-1',
      timeZone: 'Mars/Olympus',
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

  it('says what is missing', () => {
    assert.deepEqual(fields(refuse({}, { without: 'gcp:project' })), ['project']);
    assert.deepEqual(fields(refuse({}, { without: `${namespace}:deployer` })), ['deployer']);
  });

  it('refuses a lease that a delivery may outlast, as the functions would', () => {
    const route = {
      target: { kind: 'http', url: 'https://billing.example/' },
      policy: { timeoutSeconds: 900 },
    };
    assert.deepEqual(fields(refuse({ routes: JSON.stringify([route]) })), [
      'routes[0].policy.timeoutSeconds',
    ]);
  });

  it('refuses a lease that a tick could not wait for', () => {
    assert.deepEqual(fields(refuse({ leaseSeconds: '901' })), ['leaseSeconds']);
    assert.equal(read({ leaseSeconds: '900' }).leaseSeconds, 900);
  });

  it('leaves the ranges of what functions are told to them, under the names of the settings', () => {
    const own = {
      retainMonths: '-1',
      exportArchive: 'true',
      exportBucket: 'gs://archive',
      openWarnDays: '0',
    };
    assert.deepEqual(fields(refuse(own)).sort(), ['exportBucket', 'openWarnDays', 'retainMonths']);
    const further = { sourceRetentionDays: '-1', filterCostLimit: '-1', maxReturns: '0' };
    assert.deepEqual(fields(refuse(further)).sort(), [
      'filterCostLimit',
      'maxReturns',
      'sourceRetentionDays',
    ]);
  });

  it('refuses settings that contradict each other', () => {
    const existing = refuse({
      existingInstance: 'acme:europe-west1:shared',
      privateNetwork: 'projects/acme/global/networks/n',
    });
    assert.deepEqual(fields(existing), ['maxConnections', 'privateSubnetwork']);
    const source = { name: 'billing', kind: 'caller', member: 'user:ana@acme.example' };
    assert.deepEqual(fields(refuse({ sources: JSON.stringify([source, source]) })), ['sources[1].name']);
    assert.deepEqual(fields(refuse({ exportBucket: 'archive' })), ['exportArchive']);
    const ana = '["user:ana@acme.example"]';
    assert.deepEqual(fields(refuse({ operators: ana, viewers: ana })), ['viewers[0]']);
  });

  it('wants a URL for each function, where it makes no database', () => {
    const own = { databaseUrls: '{"capture": "mysql://10.0.0.1/x", "fax": "postgres://10.0.0.1/x"}' };
    const problems = refuse({ ...own, maxConnections: '100' });
    assert.deepEqual(fields(problems).sort(), [
      'databaseUrls.capture',
      'databaseUrls.console',
      'databaseUrls.fax',
      'databaseUrls.maintain',
      'databaseUrls.replay',
      'databaseUrls.retry',
    ]);
    assert.ok(problems.every(({ value }) => value === undefined || value === '(not shown)'));
  });

  it('wants secrets encrypted in the file of the stack', () => {
    const problems = refuse({ captureSecrets: 'sixteen characters' });
    assert.deepEqual(problems, [
      {
        field: 'captureSecrets',
        value: '(not shown)',
        remedy: 'Keep it encrypted: pulumi config set --secret captureSecrets ...',
      },
    ]);
  });

  it('never shows what may be a secret', () => {
    const own = {
      databaseUrls: 'postgres://u:hunter2@h/x',
      routes: '[{"headers": "hunter2"',
      captureSecrets: 'hunter2',
    };
    assert.doesNotMatch(JSON.stringify(refuse(own)), /hunter2/);
  });
});
