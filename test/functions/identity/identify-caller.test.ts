import assert from 'node:assert/strict';
import { createServer, request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openIdentify } from '../../../functions/identity/identify-caller.ts';
import type { CallerConfig } from '../../../shared/caller-config.ts';
import { OfficeError } from '../../../shared/errors.ts';
import { removeSignature, useGoogleKeys } from '../../support/google-keys.ts';

type Headers = Readonly<Record<string, string | string[]>>;

describe('a caller', () => {
  const keys = useGoogleKeys();
  const nobody: CallerConfig = {
    audiences: [],
    iapAudience: undefined,
    trustsCloudRun: false,
    local: undefined,
  };
  const audiences = ['https://other.example', 'https://replay.example'];
  const iapAudience = '/projects/1/locations/europe-west1/services/replay';

  /** Who a server with this configuration takes the sender of these headers for, or why it refuses. */
  const askOnce = async (config: Partial<CallerConfig>, headers: Headers, listen: string | number = 0) => {
    const identify = openIdentify({ ...nobody, ...config }, keys().urls);
    const server = createServer(async (incoming, response) => {
      const caller = await identify(incoming).catch((error: unknown) => error);
      const said = caller instanceof OfficeError ? { code: caller.code, message: caller.message } : caller;
      response.end(JSON.stringify(said));
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
    const { name, code } = await askOnce(config, headers);
    return name ?? code;
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it('is known by a Google ID token for this service', async () => {
    assert.deepEqual(await askOnce({ audiences }, bearer(keys().signGoogle())), {
      name: 'ann@example.com',
      via: 'google',
    });
  });

  it('is known by what IAP asserts, whatever else was sent', async () => {
    const headers = {
      'x-goog-iap-jwt-assertion': keys().signIap(),
      ...bearer(keys().signGoogle({ email: 'iap@gcp' })),
    };

    assert.deepEqual(await askOnce({ iapAudience, audiences }, headers), {
      name: 'ann@example.com',
      via: 'iap',
    });
  });

  it('is known by a token that Cloud Run has verified, where that is said to be so', async () => {
    const headers = bearer(removeSignature(keys().signGoogle()));

    assert.deepEqual(await askOnce({ trustsCloudRun: true }, headers), {
      name: 'ann@example.com',
      via: 'cloud-run',
    });
    assert.equal(await nameOf({ audiences, iapAudience }, headers), 'NOT_AUTHORIZED');
  });

  it('is not who they write into the header that Cloud Run did not look at', async () => {
    const bob = removeSignature(keys().signGoogle({ email: 'bob@example.com' }));
    const headers = {
      ...bearer(bob),
      'x-serverless-authorization': `bearer ${removeSignature(keys().signGoogle())}`,
    };

    assert.equal(await nameOf({ trustsCloudRun: true }, headers), 'ann@example.com');
    const twice = { 'x-serverless-authorization': [`Bearer ${bob}`, `Bearer ${bob}`] };
    assert.equal(await nameOf({ trustsCloudRun: true }, twice), 'NOT_AUTHORIZED');
  });

  it('has a number where a token tells no address that was verified', async () => {
    assert.equal(
      await nameOf({ audiences }, bearer(keys().signGoogle({ email_verified: false }))),
      'sub:1001',
    );
    assert.equal(await nameOf({ audiences }, bearer(keys().signGoogle({ email: undefined }))), 'sub:1001');
  });

  for (const [what, claims] of [
    ['is for another service', { aud: 'https://elsewhere.example' }],
    ['is from another issuer', { iss: 'https://idp.example' }],
    ['has expired', { iat: 1_700_000_000, exp: 1_700_003_600 }],
    ['is not valid yet', { iat: 4_000_000_000, exp: 4_000_003_600 }],
  ] as const) {
    it(`is not known by a token that ${what}`, async () => {
      assert.equal(await nameOf({ audiences }, bearer(keys().signGoogle(claims))), 'NOT_AUTHORIZED');
      assert.equal(
        await nameOf({ iapAudience }, { 'x-goog-iap-jwt-assertion': keys().signIap(claims) }),
        'NOT_AUTHORIZED',
      );
    });
  }

  it('is not known by a token that somebody else signed, or nobody', async () => {
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
      assert.equal(await nameOf({ audiences, trustsCloudRun: true }, bearer(token)), 'NOT_AUTHORIZED', token);
    }
  });

  it('is not known by a verified token that has expired since, or is none of Google', async () => {
    for (const claims of [
      { exp: 1_700_003_600 },
      { iss: 'https://idp.example' },
      { exp: undefined },
      { sub: undefined },
    ]) {
      const token = removeSignature(keys().signGoogle(claims));
      assert.equal(await nameOf({ trustsCloudRun: true }, bearer(token)), 'NOT_AUTHORIZED');
    }
  });

  it('is not known by headers that anybody can write', async () => {
    const headers = {
      'x-goog-authenticated-user-email': 'accounts.google.com:ann@example.com',
      'x-goog-authenticated-user-id': 'accounts.google.com:1001',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-email': 'ann@example.com',
      forwarded: 'for=127.0.0.1',
    };
    assert.equal(await nameOf({ audiences, iapAudience, trustsCloudRun: true }, headers), 'NOT_AUTHORIZED');
  });

  it('is nobody where nothing is configured, on this machine too', async () => {
    const headers = { ...bearer(keys().signGoogle()), 'x-goog-iap-jwt-assertion': keys().signIap() };

    assert.equal(await nameOf({}, headers), 'NOT_AUTHORIZED');
    assert.deepEqual(keys().fetched, { google: 0, iap: 0 });
  });

  it('is asked to come back where the keys cannot be had', async () => {
    keys().isDown = true;

    assert.equal(await nameOf({ audiences }, bearer(keys().signGoogle())), 'IDENTITY_UNAVAILABLE');
  });

  describe('on a machine of their own', () => {
    const local = 'ann';
    const here = { host: 'localhost:8080' };

    it('is known by its user', async () => {
      assert.deepEqual(await askOnce({ local }, here), { name: 'local:ann', via: 'local' });
    });

    it('is known over a socket in the file system', async () => {
      const socket = path.join(tmpdir(), `dlo-${process.pid}.sock`);
      assert.deepEqual(await askOnce({ local }, here, socket), { name: 'local:ann', via: 'local' });
    });

    for (const [what, headers] of [
      ['a name that was made to mean this machine', { host: 'evil.example:8080' }],
      ['a page from elsewhere', { ...here, 'sec-fetch-site': 'cross-site' }],
      ['a page from elsewhere, by an older browser', { ...here, origin: 'http://evil.example' }],
      ['a page without an origin', { ...here, origin: 'null' }],
    ] as const) {
      it(`does not act through ${what}`, async () => {
        assert.equal(await nameOf({ local }, headers), 'NOT_AUTHORIZED');
      });
    }

    it('acts through a page of ours', async () => {
      assert.equal(await nameOf({ local }, { ...here, origin: 'http://localhost:8080' }), 'local:ann');
      assert.equal(await nameOf({ local }, { ...here, 'sec-fetch-site': 'same-origin' }), 'local:ann');
    });
  });
});
