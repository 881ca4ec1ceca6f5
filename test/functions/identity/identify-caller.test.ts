import assert from 'node:assert/strict';
import { createServer, request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openIdentify } from '../../../functions/identity/identify-caller.ts';
import type { CallerConfig } from '../../../shared/config/callers.ts';
import { DeadLetterError } from '../../../shared/errors.ts';
import { useCloudRunApi } from '../../support/cloud-run-api.ts';
import { removeSignature, useGoogleKeys } from '../../support/google-keys.ts';
import { useMetadataServer } from '../../support/metadata-server.ts';

type Headers = Readonly<Record<string, string | string[]>>;

describe('a caller of the API', () => {
  const keys = useGoogleKeys();
  useMetadataServer();
  const cloudRun = useCloudRunApi();
  const cloudRunService = 'projects/acme/locations/europe-west1/services/replay';
  const noMethods: CallerConfig = {
    audiences: [],
    iapAudience: undefined,
    cloudRunService: undefined,
    local: undefined,
  };
  const audiences = ['https://other.example', 'https://replay.example'];
  const iapAudience = '/projects/1/locations/europe-west1/services/replay';

  /** The caller that a server with this configuration authenticates for these headers, or its error. */
  const authenticate = async (
    config: Partial<CallerConfig>,
    headers: Headers,
    listen: string | number = 0,
  ) => {
    const urls = { ...keys().urls, run: cloudRun().url };
    const identify = openIdentify({ ...noMethods, ...config }, urls);
    const server = createServer(async (incoming, response) => {
      const caller = await identify(incoming).catch((error: unknown) => error);
      const result =
        caller instanceof DeadLetterError ? { code: caller.code, message: caller.message } : caller;
      response.end(JSON.stringify(result));
    });
    await new Promise<void>((resolve) => server.listen(listen, resolve));
    const address = server.address();
    const to = typeof address === 'string' ? { socketPath: address } : { port: address?.port };
    try {
      return await send({ ...to, host: '127.0.0.1', method: 'POST', headers });
    } finally {
      server.close();
    }
  };
  const send = (options: object) =>
    new Promise<{ name?: string; via?: string; code?: string }>((resolve, reject) => {
      const request = sendRequest(options, async (response) =>
        resolve(JSON.parse(Buffer.concat(await response.toArray()).toString())),
      );
      request.on('error', reject).end();
    });
  const nameOf = async (config: Partial<CallerConfig>, headers: Headers) => {
    const { name, code } = await authenticate(config, headers);
    return name ?? code;
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it('is authenticated by a Google ID token for this service', async () => {
    assert.deepEqual(await authenticate({ audiences }, bearer(keys().signGoogle())), {
      name: 'ann@example.com',
      via: 'google',
    });
  });

  it('is authenticated by the assertion of IAP, even beside another token', async () => {
    const headers = {
      'x-goog-iap-jwt-assertion': keys().signIap(),
      ...bearer(keys().signGoogle({ email: 'iap@gcp' })),
    };

    assert.deepEqual(await authenticate({ iapAudience, audiences }, headers), {
      name: 'ann@example.com',
      via: 'iap',
    });
  });

  it('is authenticated by a token that Cloud Run has verified, if the service trusts Cloud Run', async () => {
    const headers = bearer(removeSignature(keys().signGoogle()));

    assert.deepEqual(await authenticate({ cloudRunService }, headers), {
      name: 'ann@example.com',
      via: 'cloud-run',
    });
    assert.equal(await nameOf({ audiences, iapAudience }, headers), 'NOT_AUTHORIZED');
  });

  it('is not authenticated by a token without a signature while everyone may call the service', async () => {
    const headers = bearer(removeSignature(keys().signGoogle()));
    cloudRun().members = ['user:ann@example.com', 'allUsers'];

    assert.equal(await nameOf({ cloudRunService }, headers), 'IDENTITY_UNAVAILABLE');
  });

  it('is not authenticated by the header that Cloud Run does not verify', async () => {
    const bob = removeSignature(keys().signGoogle({ email: 'bob@example.com' }));
    const headers = {
      ...bearer(bob),
      'x-serverless-authorization': `bearer ${removeSignature(keys().signGoogle())}`,
    };

    assert.equal(await nameOf({ cloudRunService }, headers), 'ann@example.com');
    const twice = { 'x-serverless-authorization': [`Bearer ${bob}`, `Bearer ${bob}`] };
    assert.equal(await nameOf({ cloudRunService }, twice), 'NOT_AUTHORIZED');
  });

  it('is named by its subject number if its token has no verified email address', async () => {
    assert.equal(
      await nameOf({ audiences }, bearer(keys().signGoogle({ email_verified: false }))),
      'sub:1001',
    );
    assert.equal(await nameOf({ audiences }, bearer(keys().signGoogle({ email: undefined }))), 'sub:1001');
  });

  for (const [fault, claims] of [
    ['is for another service', { aud: 'https://elsewhere.example' }],
    ['is from another issuer', { iss: 'https://idp.example' }],
    ['has expired', { iat: 1_700_000_000, exp: 1_700_003_600 }],
    ['is not valid yet', { iat: 4_000_000_000, exp: 4_000_003_600 }],
  ] as const) {
    it(`is rejected with a token that ${fault}`, async () => {
      assert.equal(await nameOf({ audiences }, bearer(keys().signGoogle(claims))), 'NOT_AUTHORIZED');
      assert.equal(
        await nameOf({ iapAudience }, { 'x-goog-iap-jwt-assertion': keys().signIap(claims) }),
        'NOT_AUTHORIZED',
      );
    });
  }

  it('is rejected with a token that is unsigned or signed with a foreign key', async () => {
    const [head, claims] = keys().signGoogle().split('.');
    const none = Buffer.from('{"alg":"none","kid":"key-1"}').toString('base64url');
    for (const token of [
      keys().forge(),
      `${head}.${claims}.`,
      `${none}.${claims}.`,
      `${head}.${claims}`,
      'nonsense',
      'a.b.c',
    ]) {
      assert.equal(await nameOf({ audiences, cloudRunService }, bearer(token)), 'NOT_AUTHORIZED', token);
    }
  });

  it('is rejected with a verified token that has expired or that Google did not issue', async () => {
    for (const claims of [
      { exp: 1_700_003_600 },
      { iss: 'https://idp.example' },
      { exp: undefined },
      { sub: undefined },
    ]) {
      const token = removeSignature(keys().signGoogle(claims));
      assert.equal(await nameOf({ cloudRunService }, bearer(token)), 'NOT_AUTHORIZED');
    }
  });

  it('is rejected with headers that any sender can forge', async () => {
    const headers = {
      'x-goog-authenticated-user-email': 'accounts.google.com:ann@example.com',
      'x-goog-authenticated-user-id': 'accounts.google.com:1001',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-email': 'ann@example.com',
      forwarded: 'for=127.0.0.1',
    };
    assert.equal(await nameOf({ audiences, iapAudience, cloudRunService }, headers), 'NOT_AUTHORIZED');
  });

  it('is rejected without a configured method, on the same machine too', async () => {
    const headers = { ...bearer(keys().signGoogle()), 'x-goog-iap-jwt-assertion': keys().signIap() };

    assert.equal(await nameOf({}, headers), 'NOT_AUTHORIZED');
    assert.deepEqual(keys().fetched, { google: 0, iap: 0 });
  });

  it('gets a temporary error if the keys are unavailable', async () => {
    keys().isDown = true;

    assert.equal(await nameOf({ audiences }, bearer(keys().signGoogle())), 'IDENTITY_UNAVAILABLE');
  });

  describe('on the machine of the service', () => {
    const local = 'ann';
    const localhost = { host: 'localhost:8080' };

    it('is named after the local user', async () => {
      assert.deepEqual(await authenticate({ local }, localhost), { name: 'local:ann', via: 'local' });
    });

    it('is accepted over a Unix socket', async () => {
      const socket = path.join(tmpdir(), `dlo-${process.pid}.sock`);
      assert.deepEqual(await authenticate({ local }, localhost, socket), { name: 'local:ann', via: 'local' });
    });

    for (const [page, headers] of [
      ['a host name rebound to this machine', { host: 'evil.example:8080' }],
      ['a page of another origin', { ...localhost, 'sec-fetch-site': 'cross-site' }],
      ['a page of another origin in an older browser', { ...localhost, origin: 'http://evil.example' }],
      ['a page without an origin', { ...localhost, origin: 'null' }],
    ] as const) {
      it(`is rejected if the request comes from ${page}`, async () => {
        assert.equal(await nameOf({ local }, headers), 'NOT_AUTHORIZED');
      });
    }

    it('is accepted from a page of the service', async () => {
      assert.equal(await nameOf({ local }, { ...localhost, origin: 'http://localhost:8080' }), 'local:ann');
      assert.equal(await nameOf({ local }, { ...localhost, 'sec-fetch-site': 'same-origin' }), 'local:ann');
    });
  });
});
