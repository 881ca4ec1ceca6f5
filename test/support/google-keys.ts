import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, beforeEach } from 'node:test';

type Signer = {
  readonly kid: string;
  readonly alg: 'RS256' | 'ES256';
  readonly privateKey: KeyObject;
  readonly pem: string;
};

/** Stands in for the server on which Google publishes its keys. The test has the other halves. */
export type GoogleKeys = {
  readonly urls: { readonly google: string; readonly iap: string };
  /** How often each was fetched since the test began. */
  readonly fetched: { google: number; iap: number };
  /** Set to make it fail. */
  isDown: boolean;
  /** From now on tokens are signed with a new key, which is published, too. Returns its id. */
  rotate(): string;
  signGoogle(claims?: object): string;
  signIap(claims?: object): string;
  /** Signed like Google's, but with a key that nobody published. */
  forge(claims?: object): string;
};

const soon = () => Math.floor(Date.now() / 1000);

/** What a Google ID token says of Ann, unless it is said otherwise. */
const annAtGoogle = () => ({
  iss: 'https://accounts.google.com',
  aud: 'https://replay.example',
  sub: '1001',
  email: 'ann@example.com',
  email_verified: true,
  iat: soon() - 10,
  exp: soon() + 3600,
});

/** What IAP asserts of Ann. */
const annAtIap = () => ({
  iss: 'https://cloud.google.com/iap',
  aud: '/projects/1/locations/europe-west1/services/replay',
  sub: 'accounts.google.com:1001',
  email: 'ann@example.com',
  iat: soon() - 10,
  exp: soon() + 600,
});

export function useGoogleKeys(): () => GoogleKeys {
  let count = 0;
  const newSigner = (alg: Signer['alg']): Signer => {
    const { privateKey, publicKey } =
      alg === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    count++;
    return {
      kid: `key-${count}`,
      alg,
      privateKey,
      pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    };
  };
  let google = [newSigner('RS256')];
  const iap = [newSigner('ES256')];
  const stranger = newSigner('RS256');
  const state = { fetched: { google: 0, iap: 0 }, isDown: false, urls: { google: '', iap: '' } };
  const latest = (signers: readonly Signer[]) => signers.at(-1) ?? stranger;

  const server = createServer((request, response) => {
    const which = request.url === '/iap' ? 'iap' : 'google';
    state.fetched[which]++;
    if (state.isDown) return response.writeHead(500).end();
    const signers = which === 'iap' ? iap : google;
    response.setHeader('cache-control', 'public, max-age=3600');
    return response.end(JSON.stringify(Object.fromEntries(signers.map(({ kid, pem }) => [kid, pem]))));
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port was given.');
    const url = `http://127.0.0.1:${address.port}`;
    state.urls = { google: `${url}/google`, iap: `${url}/iap` };
  });
  beforeEach(() => {
    Object.assign(state, { fetched: { google: 0, iap: 0 }, isDown: false });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const keys: GoogleKeys = Object.assign(state, {
    rotate: () => {
      google = [...google, newSigner('RS256')];
      return latest(google).kid;
    },
    signGoogle: (claims?: object) => signToken(latest(google), { ...annAtGoogle(), ...claims }),
    signIap: (claims?: object) => signToken(latest(iap), { ...annAtIap(), ...claims }),
    forge: (claims?: object) =>
      signToken({ ...stranger, kid: latest(google).kid }, { ...annAtGoogle(), ...claims }),
  });
  return () => keys;
}

function signToken({ kid, alg, privateKey }: Signer, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg, kid, typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** The token as Cloud Run passes it on. */
export function removeSignature(token: string): string {
  return token.replace(/[^.]*$/, 'SIGNATURE_REMOVED_BY_GOOGLE');
}
