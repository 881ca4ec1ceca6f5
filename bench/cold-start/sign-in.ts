import { generateKeyPairSync, sign } from 'node:crypto';
import path from 'node:path';

const audience = '/projects/1/locations/europe-west1/services/bench';

/** Returns the environment of a function behind Identity-Aware Proxy, and the header with which Ann comes through it. */
export function signIn() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: 'https://cloud.google.com/iap',
    aud: audience,
    sub: 'accounts.google.com:1',
    email: 'ann@example.com',
    iat: now - 10,
    exp: now + 86_400,
  };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'ES256', kid: 'bench', typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return {
    env: {
      NODE_OPTIONS: `--require=${path.join(import.meta.dirname, 'stand-in-keys.cjs')}`,
      IAP_KEYS: JSON.stringify({ bench: publicKey.export({ type: 'spki', format: 'pem' }) }),
      IAP_AUDIENCE: audience,
      CONSOLE_OPERATORS: claims.email,
    },
    headers: { 'x-goog-iap-jwt-assertion': `${signed}.${signature.toString('base64url')}` },
  };
}
