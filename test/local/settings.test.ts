import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readSettings } from '../../local/settings.ts';
import { ConfigError } from '../../shared/errors.ts';

describe('the settings of npm start', () => {
  it('have a default for every variable', () => {
    assert.deepEqual(readSettings({}), {
      port: 8080,
      isDemo: true,
      retryEverySeconds: 5,
      dataFolder: join(import.meta.dirname, '../../.data'),
      databaseUrl: undefined,
      routes: [],
    });
    assert.deepEqual(readSettings({ DATABASE_URL: '', INSTANCE_CONNECTION_NAME: '' }), readSettings({}));
  });

  it('are read from the environment', () => {
    const settings = readSettings({
      PORT: '0',
      DEMO: 'off',
      RETRY_EVERY_SECONDS: '0',
      DATABASE_URL: 'postgres://u:p@h/d',
      ROUTES: '[{"target":{"kind":"http","url":"http://h/"}}]',
    });
    assert.deepEqual([settings.port, settings.isDemo, settings.retryEverySeconds], [0, false, 0]);
    assert.equal(settings.databaseUrl, 'postgres://u:p@h/d');
    assert.equal(settings.routes[0]?.policy.backoff.kind, 'exponential');
  });

  it('start the demo in a database of their own only if DEMO=on asks for it', () => {
    const env = { DATABASE_URL: 'postgres://u:p@h/d' };
    assert.equal(readSettings(env).isDemo, false);
    assert.equal(readSettings({ ...env, DEMO: 'on' }).isDemo, true);
  });

  it('report problems of npm start and of the functions together', () => {
    const findFields = (env: NodeJS.ProcessEnv) => {
      try {
        readSettings(env);
      } catch (error) {
        if (error instanceof ConfigError) return error.problems.map(({ field }) => field);
      }
      return [];
    };
    assert.deepEqual(findFields({ PORT: '65536', MAX_RETRIES: 'many' }), ['PORT', 'MAX_RETRIES']);
    assert.deepEqual(
      findFields({ PORT: '1.5', DEMO: 'yes', RETRY_EVERY_SECONDS: '1e3', LEASE_SECONDS: '1' }),
      ['PORT', 'DEMO', 'RETRY_EVERY_SECONDS', 'LEASE_SECONDS'],
    );
    assert.deepEqual(findFields({ PORT: '', DATA_DIR: '', BATCH_SIZE: '', CONTINUE_TOPIC: '' }), [
      'PORT',
      'DATA_DIR',
      'BATCH_SIZE',
      'CONTINUE_TOPIC',
    ]);
    assert.deepEqual(findFields({ INSTANCE_CONNECTION_NAME: 'p:r:i', DB_IP_TYPE: 'x' }), [
      'INSTANCE_CONNECTION_NAME',
    ]);
  });
});
