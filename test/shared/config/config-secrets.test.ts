import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Environment, secretVariables } from '../../../shared/environment/environment.ts';
import { refusalOf } from '../../support/problems.ts';

const url = 'postgres://postgres@localhost/dlo';
const route = (target: object, more: object = {}) =>
  JSON.stringify([{ target: { kind: 'http', url: 'http://shop/', ...target }, ...more }]);

const cases: Record<string, Environment> = {
  'a database URL with another scheme': { DATABASE_URL: 'mysql://root:s3cret@localhost/dlo' },
  'a database URL without a scheme': { DATABASE_URL: 'root:s3cret@localhost/dlo' },
  'two databases': { DATABASE_URL: 'postgres://a:s3cret@b/c', INSTANCE_CONNECTION_NAME: 'acme:here:dlo' },
  'a target URL with a password': { DATABASE_URL: url, ROUTES: route({ url: 'https://shop:s3cret@shop/' }) },
  'a header that is not a string': {
    DATABASE_URL: url,
    ROUTES: route({ headers: { authorization: ['s3cret'] } }),
  },
  'a header with a line break': { DATABASE_URL: url, ROUTES: route({ headers: { token: 's3cret\n' } }) },
  'headers given as a string': { DATABASE_URL: url, ROUTES: route({ headers: 'authorization: s3cret' }) },
  'a misspelt field': { DATABASE_URL: url, ROUTES: route({ header: { authorization: 's3cret' } }) },
  'a field in the wrong place': { DATABASE_URL: url, ROUTES: route({}, { token: 's3cret' }) },
  'routes that are not a list': { DATABASE_URL: url, ROUTES: '{"headers": {"authorization": "s3cret"}}' },
  'routes that are broken JSON': { DATABASE_URL: url, ROUTES: '[{"headers": {"authorization": s3cret}}]' },
  'routes in place of the name of their file': {
    DATABASE_URL: url,
    ROUTES_FILE: route({ headers: { authorization: 's3cret' } }),
  },
  'a secret that is too short': { DATABASE_URL: url, CAPTURE_SECRETS: 's3cret' },
};

describe('a configuration error hides secrets in', () => {
  for (const [what, env] of Object.entries(cases)) {
    it(what, () => {
      const { message, problems } = refusalOf(env);

      assert.doesNotMatch(message + JSON.stringify(problems), /s3cre/);
    });
  }
});

describe('a configuration error', () => {
  for (const name of secretVariables.filter((each) => !each.endsWith('_FILE'))) {
    it(`shows nothing of ${name}`, () => {
      const { message, problems } = refusalOf({ [name]: 's3cret', BATCH_SIZE: '0' });

      assert.doesNotMatch(message + JSON.stringify(problems), /s3cret/);
    });
  }

  it('shows the part of a URL that is not secret', () => {
    const { message } = refusalOf({
      DATABASE_URL: url,
      ROUTES: route({ url: 'ftp://a:s3cret@shop/orders' }),
    });

    assert.match(message, /ROUTES\[0\]\.target\.url = "\(not shown\)@shop\/orders"/);
  });
});
