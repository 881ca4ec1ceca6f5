import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as pulumi from '@pulumi/pulumi';
import type { AuthClient } from 'google-auth-library';
import { askWith, find, finish, openGoogle } from '../../infra/google-api.ts';
import { withGoogle } from '../support/google.ts';

const service = 'https://run.googleapis.com/v2/projects/acme/locations/eu/services/dlo-retry';
const instance = 'https://sqladmin.googleapis.com/sql/v1beta4/projects/acme/instances/main/users';

describe('a request to Google', () => {
  type Options = Readonly<Record<string, string>>;
  /** Returns the request that a client sends with these options of the provider. */
  const send = async (url: string, options: Options = {}) => {
    const sent: { readonly url: string; readonly headers: object }[] = [];
    const request = async (each: (typeof sent)[number]) => ({ data: sent.push(each) });
    await askWith({ request } as unknown as AuthClient, (name) => options[name])(url);
    return sent[0];
  };
  const urlOf = async (url: string, options?: Options) => (await send(url, options))?.url;

  it('goes to googleapis.com without a configuration', async () => {
    assert.equal(await urlOf(service), service);
  });

  it('goes to the universe of the provider', async () => {
    const there = service.replace('googleapis.com', 'acme.example');
    assert.equal(await urlOf(service, { universeDomain: 'acme.example' }), there);
    assert.equal(await urlOf(service, { universeDomain: '' }), service);
  });

  it('goes to a custom endpoint of the provider', async () => {
    const options = {
      cloudRunV2CustomEndpoint: 'https://run.acme.example/v2/',
      sqlCustomEndpoint: 'http://127.0.0.1:8080/sql/',
    };
    assert.equal(await urlOf(service, options), service.replace('run.googleapis.com', 'run.acme.example'));
    const users = 'http://127.0.0.1:8080/sql/projects/acme/instances/main/users';
    assert.equal(await urlOf(instance, options), users);
  });

  it('is paid for by the billing project of the provider, if that is to override', async () => {
    const billingProject = 'acme-billing';
    assert.deepEqual((await send(service, { billingProject }))?.headers, {});
    const paid = await send(service, { billingProject, userProjectOverride: 'true' });
    assert.deepEqual(paid?.headers, { 'x-goog-user-project': billingProject });
  });
});

describe('an answer of Google', () => {
  it('that the token has expired is reported with what to do', async () => {
    const google = withGoogle();
    google.answer = () => ({ error: { code: 401, message: 'Invalid credentials.' } });
    await assert.rejects(
      google.ask(service),
      /^Error: run\.googleapis\.com answered 401: Invalid credentials\. The access token has expired: run the same command again\.$/,
    );
  });
});

describe('a failure of Google', () => {
  it('without a message is reported as it is, and so is one without an answer', async () => {
    const google = withGoogle();
    google.answer = () => ({ error: { code: 500, details: 'none' } }) as never;
    const message = 'run.googleapis.com answered 500: {"error":{"code":500,"details":"none"}}';
    await assert.rejects(google.ask(service), { message });
    const request = () => Promise.reject(new Error('getaddrinfo ENOTFOUND'));
    const ask = askWith({ request } as unknown as AuthClient, () => undefined);
    await assert.rejects(ask(service), { message: 'getaddrinfo ENOTFOUND' });
  });
});

describe('what Google does not have', () => {
  it('is nothing, unlike what it refuses to show', async () => {
    const google = withGoogle();
    assert.equal(await find(google.ask, service), undefined);
    google.answer = () => ({ error: { code: 403, message: 'Permission denied.' } });
    const message = 'run.googleapis.com answered 403: Permission denied.';
    await assert.rejects(find(google.ask, service), { message });
    const unreachable = async () => Promise.reject(Object.assign(new Error('ENOTFOUND'), { status: 404 }));
    await assert.rejects(find(unreachable, service), /ENOTFOUND/);
  });
});

describe('an operation of Google', () => {
  it('fails with the reason that it has, or without one', async () => {
    const { ask } = withGoogle();
    const failed = (error: object) => finish(ask, service, { name: 'op-1', done: true, error });
    await assert.rejects(
      failed({ message: 'Quota exceeded.' }),
      /^Error: run\.googleapis\.com failed: Quota exc/,
    );
    await assert.rejects(failed({ errors: [{ message: 'No disk.' }] }), / failed: No disk\. \(op-1\)$/);
    await assert.rejects(failed({}), / failed: unknown error \(op-1\)$/);
  });
});

describe('the connector of the migrations', () => {
  it('has the token, the domain and the endpoint of the provider', async () => {
    const options = {
      universeDomain: 'acme.example',
      sqlCustomEndpoint: 'https://sql.acme.example/sql/v1beta4/',
    };
    const { connector } = openGoogle({ accessToken: 'theirs', options });
    assert.equal(connector.universeDomain, 'acme.example');
    assert.equal(connector.sqlAdminAPIEndpoint, 'https://sql.acme.example/');
    assert.equal((await connector.auth?.getAccessToken())?.token, 'theirs');
  });

  it('has those of the environment without them, as the provider does', () => {
    const [domain, endpoint] = ['GOOGLE_UNIVERSE_DOMAIN', 'GOOGLE_SQL_CUSTOM_ENDPOINT'];
    const { unknownValue } = pulumi.runtime;
    const read = () => openGoogle({ options: { universeDomain: unknownValue, sqlCustomEndpoint: null } });
    assert.deepEqual(Object.keys(read().connector), ['auth']);
    process.env[domain] = 'acme.example';
    process.env[endpoint] = 'https://sql.acme.example/sql/v1beta4/';
    const { universeDomain, sqlAdminAPIEndpoint } = read().connector;
    delete process.env[domain];
    delete process.env[endpoint];
    assert.deepEqual([universeDomain, sqlAdminAPIEndpoint], ['acme.example', 'https://sql.acme.example/']);
  });
});
