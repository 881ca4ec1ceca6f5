import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { composeEnvironment } from '../../local/functions.ts';
import { readConfig } from '../../shared/environment/config.ts';

describe('the environment of the functions of npm start', () => {
  const routeTo = (url: string) => ({ target: { kind: 'http', url } });
  const compose = (given: NodeJS.ProcessEnv) =>
    composeEnvironment(given, {
      databaseUrl: 'postgres://h/d',
      routes: [routeTo('http://operator/'), routeTo('http://demo/')],
      retryUrl: 'http://127.0.0.1:8080/retry',
    });

  it("keeps the operator's routes before those of the demo", () => {
    const { routes } = readConfig(compose({}));

    const urls = routes.map(({ target }) => target.kind === 'http' && target.url);
    assert.deepEqual(urls, ['http://operator/', 'http://demo/']);
  });

  it('replaces variables that would contradict it, and keeps others', () => {
    const given = { PORT: '1', ROUTES_FILE: 'routes.json', FUNCTION_TARGET: 'capture', DB_POOL_MAX: '3' };
    const env = compose(given);

    for (const name of ['PORT', 'ROUTES_FILE', 'FUNCTION_TARGET']) assert.equal(name in env, false);
    const config = readConfig(env);
    assert.equal(config.retry.workers, 4);
    assert.equal(config.retry.continueTopic, 'http://127.0.0.1:8080/retry');
    assert.equal(config.database.poolMax, 3);
  });
});
