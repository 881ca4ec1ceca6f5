import assert from 'node:assert/strict';
import { createServer, request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openIdentify } from '../../../functions/identity/identify-caller.ts';
import type { CallerConfig } from '../../../shared/config/callers.ts';
import { DeadLetterError } from '../../../shared/errors.ts';
import { useCloudRunApi } from '../../support/cloud-run-api.ts';
import { cloudRunToken } from '../../support/cloud-run-token.ts';
import { useIapKeys } from '../../support/iap-keys.ts';
import { useMetadataServer } from '../../support/metadata-server.ts';

type Headers = Readonly<Record<string, string | string[]>>;

describe('a caller of the API', () => {
  const keys = useIapKeys();
  useMetadataServer();
  const cloudRun = useCloudRunApi();
  const cloudRunService = 'projects/acme/locations/europe-west1/services/replay';
  const noMethods: CallerConfig = {
    iapAudience: undefined,
    cloudRunService: undefined,
    local: undefined,
  };
  const iapAudience = '/projects/1/locations/europe-west1/services/replay';

  /** The caller that a server with this configuration authenticates for these headers, or its error. */
  const authenticate = async (
    config: Partial<CallerConfig>,
    headers: Headers,
    listen: string | number = 0,
  ) => {
    const urls = { iap: keys().url, run: cloudRun().url };
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
    new Promise<{ name?: string; via?: string; code?: string; message?: string }>((resolve, reject) => {
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
  const assertion = (token: string) => ({ 'x-goog-iap-jwt-assertion': token });

  it('is authenticated by the assertion of IAP, even beside another token', async () => {
    const headers = {
      'x-goog-iap-jwt-assertion': keys().sign(),
      ...bearer(cloudRunToken({ email: 'iap@gcp' })),
    };

    assert.deepEqual(await authenticate({ iapAudience, cloudRunService }, headers), {
      name: 'ann@example.com',
      via: 'iap',
    });
  });

  it('is authenticated by a token that Cloud Run has verified, if the service trusts Cloud Run', async () => {
    const headers = bearer(cloudRunToken());

    assert.deepEqual(await authenticate({ cloudRunService }, headers), {
      name: 'ann@example.com',
      via: 'cloud-run',
    });
    assert.equal(await nameOf({ iapAudience }, headers), 'NOT_AUTHORIZED');
  });

  it('is not authenticated by a token without a signature while everyone may call the service', async () => {
    const headers = bearer(cloudRunToken());
    cloudRun().members = ['user:ann@example.com', 'allUsers'];

    assert.equal(await nameOf({ cloudRunService }, headers), 'IDENTITY_UNAVAILABLE');
  });

  it('is not authenticated by the header that Cloud Run does not verify', async () => {
    const bob = cloudRunToken({ email: 'bob@example.com' });
    const headers = {
      ...bearer(bob),
      'x-serverless-authorization': `bearer ${cloudRunToken()}`,
    };

    assert.equal(await nameOf({ cloudRunService }, headers), 'ann@example.com');
    const twice = { 'x-serverless-authorization': [`Bearer ${bob}`, `Bearer ${bob}`] };
    assert.equal(await nameOf({ cloudRunService }, twice), 'NOT_AUTHORIZED');
  });

  it('is named by its subject number if its token has no verified email address', async () => {
    for (const claims of [{ email_verified: false }, { email: undefined }]) {
      assert.equal(await nameOf({ cloudRunService }, bearer(cloudRunToken(claims))), 'sub:1001');
    }
  });

  for (const [fault, claims] of [
    ['is for another service', { aud: 'https://elsewhere.example' }],
    ['is from another issuer', { iss: 'https://idp.example' }],
    ['is from the issuer of other tokens of Google', { iss: 'https://accounts.google.com' }],
    ['has expired', { iat: 1_700_000_000, exp: 1_700_003_600 }],
    ['is not valid yet', { iat: 4_000_000_000, exp: 4_000_003_600 }],
  ] as const) {
    it(`is rejected with an assertion that ${fault}`, async () => {
      assert.equal(await nameOf({ iapAudience }, assertion(keys().sign(claims))), 'NOT_AUTHORIZED');
    });
  }

  it('is rejected with a token that is unsigned or signed with a foreign key', async () => {
    const [head, claims] = keys().sign().split('.');
    const none = Buffer.from('{"alg":"none","kid":"key-1"}').toString('base64url');
    for (const token of [
      keys().forge(),
      `${head}.${claims}.`,
      `${none}.${claims}.`,
      `${head}.${claims}`,
      'nonsense',
      'a.b.c',
    ]) {
      assert.equal(await nameOf({ iapAudience }, assertion(token)), 'NOT_AUTHORIZED', token);
      assert.equal(await nameOf({ cloudRunService }, bearer(token)), 'NOT_AUTHORIZED', token);
    }
  });

  it('is rejected with a verified token that has expired or that Google did not issue', async () => {
    for (const claims of [
      { exp: 1_700_003_600 },
      { iss: 'https://idp.example' },
      { iss: undefined },
      { exp: undefined },
      { exp: '4000003600' },
      { sub: undefined },
      { sub: '' },
      { email: ['ann@example.com'] },
      { email: '' },
      { email_verified: 'false' },
    ]) {
      const token = cloudRunToken(claims);
      assert.equal(
        await nameOf({ cloudRunService }, bearer(token)),
        'NOT_AUTHORIZED',
        JSON.stringify(claims),
      );
    }
  });

  it('is rejected with a token that Cloud Run has not verified', async () => {
    const [head, claims, removed] = cloudRunToken().split('.');
    for (const token of [`${head}.${claims}.c2lnbmF0dXJl`, `${head}.${claims}`, `${head}.bnVsbA.${removed}`])
      assert.equal(await nameOf({ cloudRunService }, bearer(token)), 'NOT_AUTHORIZED', token);
    const authorization = `Basic Bearer ${cloudRunToken()}`;
    assert.equal(await nameOf({ cloudRunService }, { authorization }), 'NOT_AUTHORIZED');
  });

  it('is told how to authenticate', async () => {
    for (const [config, remedy] of [
      [{ iapAudience, cloudRunService }, /call it through IAP/],
      [{ cloudRunService }, /Send a Google ID token/],
      [{}, /set CLOUD_RUN_IAM, IAP_AUDIENCE, or LOCAL_CALLER/],
    ] as const)
      assert.match((await authenticate(config, {})).message ?? '', remedy);
  });

  it('is rejected with headers that any sender can forge', async () => {
    const headers = {
      'x-goog-authenticated-user-email': 'accounts.google.com:ann@example.com',
      'x-goog-authenticated-user-id': 'accounts.google.com:1001',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-email': 'ann@example.com',
      forwarded: 'for=127.0.0.1',
    };
    assert.equal(await nameOf({ iapAudience, cloudRunService }, headers), 'NOT_AUTHORIZED');
  });

  it('is rejected without a configured method, on the same machine too', async () => {
    const headers = { ...bearer(cloudRunToken()), ...assertion(keys().sign()) };

    assert.equal(await nameOf({}, headers), 'NOT_AUTHORIZED');
    assert.equal(keys().fetched, 0);
  });

  it('gets a temporary error if the keys are unavailable', async () => {
    keys().isDown = true;

    assert.equal(await nameOf({ iapAudience }, assertion(keys().sign())), 'IDENTITY_UNAVAILABLE');
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
      ['a host name that ends like that of this machine', { host: 'evil-localhost:8080' }],
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

    it('is accepted from the address bar, however the host is spelled', async () => {
      const headers = { host: 'LOCALHOST:8080', 'sec-fetch-site': 'none' };
      assert.equal(await nameOf({ local }, headers), 'local:ann');
    });
  });
});
