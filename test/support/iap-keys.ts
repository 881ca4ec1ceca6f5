import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { before, beforeEach } from 'node:test';
import { useServer } from './server.ts';

type Signer = { readonly kid: string; readonly privateKey: KeyObject; readonly pem: string };

/** Stands in for the server on which Google publishes the keys of IAP. The test has the other halves. */
export type IapKeys = {
  readonly url: string;
  /** How often the keys were fetched since the test began. */
  readonly fetched: number;
  /** Set to make it fail: with an answer that could be read as keys. */
  isDown: boolean;
  cacheControl: string;
  /** From now on assertions are signed with a new key, which is published, too. Returns its id. */
  rotate(): string;
  sign(claims?: object): string;
  /** Signed like IAP's, but with a key that nobody published. */
  forge(claims?: object): string;
};

const soon = () => Math.floor(Date.now() / 1000);

/** The claims of IAP about Ann. */
const annAtIap = () => ({
  iss: 'https://cloud.google.com/iap',
  aud: '/projects/1/locations/europe-west1/services/replay',
  sub: 'accounts.google.com:1001',
  email: 'ann@example.com',
  iat: soon() - 10,
  exp: soon() + 600,
});

export function useIapKeys(): () => IapKeys {
  let count = 0;
  const newSigner = (): Signer => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    count++;
    return {
      kid: `key-${count}`,
      privateKey,
      pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    };
  };
  let latest = newSigner();
  const published = [latest];
  const stranger = newSigner();
  const anew = { fetched: 0, isDown: false, cacheControl: 'public, max-age=3600' };
  const state = { ...anew, url: '' };

  const origin = useServer((_, response) => {
    state.fetched++;
    if (state.isDown) return response.writeHead(500).end('{}');
    response.setHeader('cache-control', state.cacheControl);
    return response.end(JSON.stringify(Object.fromEntries(published.map(({ kid, pem }) => [kid, pem]))));
  });
  before(() => {
    state.url = origin();
  });
  beforeEach(() => {
    Object.assign(state, anew);
  });
  const keys: IapKeys = Object.assign(state, {
    rotate: () => {
      latest = newSigner();
      published.push(latest);
      return latest.kid;
    },
    sign: (claims?: object) => signToken(latest, { ...annAtIap(), ...claims }),
    forge: (claims?: object) => signToken({ ...stranger, kid: latest.kid }, { ...annAtIap(), ...claims }),
  });
  return () => keys;
}

function signToken({ kid, privateKey }: Signer, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'ES256', kid, typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
