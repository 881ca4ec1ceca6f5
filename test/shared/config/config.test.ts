import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../../shared/environment/config.ts';
import { refusalOf } from '../../support/problems.ts';

const url = 'postgres://postgres:s3cret@localhost/dlo';

describe('the configuration', () => {
  it('needs only a database', () => {
    assert.deepEqual(readConfig({ DATABASE_URL: url }), {
      database: { kind: 'url', url, poolMax: 4 },
      routes: [],
      masks: [],
      retry: {
        enabled: true,
        batchSize: 500,
        maxRetries: 240,
        tickBudgetSeconds: 1500,
        continueTopic: undefined,
        workers: 1,
        maxEventsPerTick: null,
        leaseSeconds: 300,
        maxLost: 5,
        repeatSeconds: 600,
      },
      retention: {
        archiveAfterDays: 30,
        archiveUndecidedAfterDays: 0,
        sourceRetentionDays: 31,
        retainMonths: 0,
        exportBucket: undefined,
        openWarnDays: 14,
        groupRules: [],
      },
      captureSecrets: [],
      sources: [],
      callers: { iapAudience: undefined, cloudRunService: undefined, local: undefined },
      maxBodyBytes: 16 * 2 ** 20,
      costLimit: 500_000,
      project: undefined,
      console: { base: '/', environment: '', operators: [], viewers: [] },
    });
  });

  it('reads every retry setting from its variable', () => {
    const env = {
      RETRY_ENABLED: 'false',
      BATCH_SIZE: '200',
      MAX_RETRIES: '0',
      MAX_LOST: '2',
      MAX_EVENTS_PER_TICK: '50',
      CONTINUE_TOPIC: 'projects/p/topics/continue',
      WORKERS: '8',
    };
    const times = {
      TICK_BUDGET_SECONDS: '20',
      LEASE_SECONDS: '60',
      REPEAT_SECONDS: '60',
    };

    assert.deepEqual(readConfig({ DATABASE_URL: url, ...env, ...times }).retry, {
      enabled: false,
      batchSize: 200,
      maxRetries: 0,
      tickBudgetSeconds: 20,
      continueTopic: 'projects/p/topics/continue',
      workers: 8,
      maxEventsPerTick: 50,
      leaseSeconds: 60,
      maxLost: 2,
      repeatSeconds: 60,
    });
  });

  it('allows one worker without CONTINUE_TOPIC and rejects an invalid topic', () => {
    assert.equal(readConfig({ DATABASE_URL: url, WORKERS: '8' }).retry.workers, 1);
    const { problems } = refusalOf({ DATABASE_URL: url, CONTINUE_TOPIC: 'continue' });
    assert.deepEqual(
      problems.map(({ field }) => field),
      ['CONTINUE_TOPIC'],
    );
  });

  it('accepts a Cloud SQL instance in place of a URL', () => {
    const env = {
      INSTANCE_CONNECTION_NAME: 'acme:europe-west1:dlo',
      DB_NAME: 'dlo',
      DB_USER: 'retry@acme.iam',
    };

    assert.deepEqual(readConfig({ ...env, DB_IP_TYPE: 'PSC' }).database, {
      kind: 'cloud-sql',
      instance: 'acme:europe-west1:dlo',
      database: 'dlo',
      user: 'retry@acme.iam',
      ipType: 'PSC',
      poolMax: 2,
    });
  });

  it('reports every problem at once, each with its field, value and remedy', () => {
    const { problems } = refusalOf({
      DB_POOL_MAX: '0',
      ROUTES: '[{"target": {"kind": "http", "url": "http://shop/"}, "policy": {"concurrency": 0}}]',
      RETRY_ENABLED: 'yes',
      BATCH_SIZE: '-1',
    });

    assert.deepEqual(problems, [
      {
        field: 'DATABASE_URL',
        value: undefined,
        remedy: 'Set DATABASE_URL, or INSTANCE_CONNECTION_NAME for Cloud SQL.',
      },
      { field: 'DB_POOL_MAX', value: '0', remedy: 'Use a whole number from 1 to 100.' },
      { field: 'ROUTES[0].policy.concurrency', value: 0, remedy: 'Use a whole number from 1 to 1000.' },
      { field: 'RETRY_ENABLED', value: 'yes', remedy: 'Use "true" or "false".' },
      { field: 'BATCH_SIZE', value: '-1', remedy: 'Use a whole number from 1 to 1000.' },
    ]);
  });

  it('reports problems as readable text', () => {
    const { message } = refusalOf({ DATABASE_URL: url, BATCH_SIZE: 'many', LEASE_SECONDS: '1' });

    assert.equal(
      message,
      'The configuration has 2 problems:\n' +
        '  BATCH_SIZE = "many"\n    Use a whole number from 1 to 1000.\n' +
        '  LEASE_SECONDS = "1"\n    Use a whole number from 5 to 86400.',
    );
  });

  it('rejects two databases', () => {
    const { problems } = refusalOf({ DATABASE_URL: url, INSTANCE_CONNECTION_NAME: 'acme:europe-west1:dlo' });

    assert.match(problems[0]?.remedy ?? '', /either DATABASE_URL or INSTANCE_CONNECTION_NAME/);
  });

  it('rejects a Cloud SQL instance without database and user', () => {
    const { problems } = refusalOf({ INSTANCE_CONNECTION_NAME: 'dlo', DB_IP_TYPE: 'IPV6' });

    const fields = problems.map(({ field }) => field);
    assert.deepEqual(fields, ['INSTANCE_CONNECTION_NAME', 'DB_NAME', 'DB_USER', 'DB_IP_TYPE']);
  });

  for (const number of ['', ' ', '1.5', '1e3', '0x10', '10001', '9'.repeat(400)]) {
    it(`rejects ${JSON.stringify(number.slice(0, 9))} as a whole number`, () => {
      assert.equal(refusalOf({ DATABASE_URL: url, MAX_RETRIES: number }).problems.length, 1);
    });
  }
});
