import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { functionNames, readSettings, type Setting, toCamelCase } from '../../../shared/config/setting.ts';
import { readConfig } from '../../../shared/environment/config.ts';
import { namedVariables, variables } from '../../../shared/environment/environment.ts';
import { refusalOf } from '../../support/problems.ts';

const entries = path.resolve(import.meta.dirname, '../../../functions/entries');
const url = 'postgres://postgres:s3cret@localhost/dlo';

describe('the configuration', () => {
  it('needs only a database', () => {
    const { database, routes, callers, retry, retention } = readConfig({ DATABASE_URL: url });

    assert.deepEqual(database, { kind: 'url', url, poolMax: 4, notify: false, logSql: false });
    assert.deepEqual(routes, []);
    assert.deepEqual(callers, { iapAudience: undefined, cloudRunService: undefined, local: undefined });
    const { enabled, workers, maxEventsPerTick, continueTopic } = retry;
    assert.deepEqual([enabled, workers, maxEventsPerTick, continueTopic], [true, 1, 0, undefined]);
    assert.equal(retention.exportBucket, undefined);
  });

  for (const [name, { kind, max, default: byDefault, as = toCamelCase(name) }] of namedVariables) {
    if (kind === undefined) continue;
    it(`reads ${name} from its variable`, () => {
      const value = kind === 'flag' ? !byDefault : max;
      const topic = 'projects/p/topics/continue';
      const config = readConfig({ DATABASE_URL: url, CONTINUE_TOPIC: topic, [name]: String(value) });
      assert.equal(Object.assign({}, config, ...Object.values(config))[as], value);
    });
  }

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
      notify: false,
      logSql: false,
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

  it('rejects a URL that the driver could not read, or that replaces the settings of sessions', () => {
    const accepted = [
      'postgres://a:b@h/d',
      'postgresql://a:b%40@[::1]:5432/d?sslmode=require',
      'postgres://a:b@/d?host=/run',
    ];
    const rejected = [
      'mysql://a:b@h/d',
      'postgres://a:b@h1:1,h2:2/d',
      'postgres://a:b#c@h/d',
      'postgres://a:b/c@h/d',
      'postgres://a:b@h:99999/d',
      'postgres://a:b@h/d?sslmode=disable&options=-c%20search_path%3Dx',
    ];
    for (const DATABASE_URL of accepted) assert.ok(readConfig({ DATABASE_URL }), DATABASE_URL);
    for (const DATABASE_URL of rejected) {
      const { problems } = refusalOf({ DATABASE_URL });
      assert.deepEqual(
        problems.map(({ field, value }) => [field, value]),
        [['DATABASE_URL', '(not shown)']],
        DATABASE_URL,
      );
    }
  });

  it('rejects a Cloud SQL instance without database and user', () => {
    const { problems } = refusalOf({ INSTANCE_CONNECTION_NAME: 'dlo', DB_IP_TYPE: 'IPV6' });

    const fields = problems.map(({ field }) => field);
    assert.deepEqual(fields, ['INSTANCE_CONNECTION_NAME', 'DB_NAME', 'DB_USER', 'DB_IP_TYPE']);
  });

  it('gives each function only settings that it is named to read: a deployment sets it no others', () => {
    for (const name of functionNames) {
      const words = new Set(
        readFileSync(path.join(entries, `${name}.ts`), 'utf8')
          .replaceAll(/^(import|const \{ check).*$/gm, '')
          .match(/\b\w+\b/g),
      );
      const used = namedVariables.filter(([variable, { as = toCamelCase(variable) }]) => words.has(as));
      assert.ok(used.length > 0 || name === 'maintain' || name === 'retry');
      assert.deepEqual(
        used.filter(([, { readBy }]) => !readBy.includes(name)),
        [],
      );
    }
  });

  for (const number of ['', ' ', '1.5', '1e3', '0x10', '10001', '9'.repeat(400)]) {
    it(`rejects ${JSON.stringify(number.slice(0, 9))} as a whole number`, () => {
      assert.equal(refusalOf({ DATABASE_URL: url, MAX_RETRIES: number }).problems.length, 1);
    });
  }

  for (const [name, setting] of Object.entries<Setting>(variables)) {
    const { kind, min = 0, max = 0, default: fallback } = setting;
    if (kind !== 'number') continue;
    it(`reads ${name} within its range`, () => {
      const read = (text?: string) => readSettings({ [name]: setting }, { [name]: text });
      const values = [read(), read(`${min}`), read(`${max}`)].map(
        (each) => each.ok && Object.values(each.value)[0],
      );

      assert.deepEqual(values, [fallback, min, max]);
      for (const text of [`${max + 1}`, '-1', '1.5', '']) assert.equal(read(text).ok, false, text);
    });
  }
});
