import type { IncomingMessage } from 'node:http';
import type { CallerConfig } from '../../shared/caller-config.ts';
import { NotAuthorizedError } from '../../shared/errors.ts';
import { refuseUnlessLocal } from './local-caller.ts';
import { openKeyring } from './public-keys.ts';
import { type Claims, readVerifiedToken, verifyToken } from './verify-token.ts';

/** Who called, as the audit names them: an address, `sub:` and a number where a token tells none, `local:` and a name. */
export type Caller = { readonly name: string; readonly via: 'iap' | 'google' | 'cloud-run' | 'local' };

/** Tells who sends a request. Throws NotAuthorizedError where that is not proven. */
export type Identify = (request: IncomingMessage) => Promise<Caller>;

/** Where Google publishes its keys. */
const googleKeys = {
  google: 'https://www.googleapis.com/oauth2/v1/certs',
  iap: 'https://www.gstatic.com/iap/verify/public_key',
};
const googleIssuers = ['https://accounts.google.com', 'accounts.google.com'];
const iapIssuers = ['https://cloud.google.com/iap'];

/**
 * Identifies callers by what was signed, and only in the ways that are configured. Headers that anybody can write, such
 * as X-Goog-Authenticated-User-Email or X-Forwarded-For, are never looked at.
 */
export function openIdentify(config: CallerConfig, keys: typeof googleKeys = googleKeys): Identify {
  const keyrings = { google: openKeyring(keys.google), iap: openKeyring(keys.iap) };

  const identifyBearer = async (token: string): Promise<Caller> => {
    if (config.trustsCloudRun && !isSigned(token)) {
      return { name: nameOf(readVerifiedToken(token, { issuers: googleIssuers })), via: 'cloud-run' };
    }
    const expected = { keyring: keyrings.google, audience: config.audiences, issuers: googleIssuers };
    return { name: nameOf(await verifyToken(token, expected)), via: 'google' };
  };

  return async (request) => {
    const assertion = readHeader(request, 'x-goog-iap-jwt-assertion');
    if (config.iapAudience && assertion) {
      const expected = { keyring: keyrings.iap, audience: [config.iapAudience], issuers: iapIssuers };
      return { name: nameOf(await verifyToken(assertion, expected)), via: 'iap' };
    }
    const takesBearer = config.trustsCloudRun || config.audiences.length > 0;
    const bearer = readBearer(request);
    if (takesBearer && bearer) return identifyBearer(bearer);
    if (!config.local) throw new NotAuthorizedError(explain(config));
    refuseUnlessLocal(request);
    return { name: `local:${config.local}`, via: 'local' };
  };
}

/**
 * The token by which Cloud Run let the request in. Where X-Serverless-Authorization is there, that is the one it has looked
 * at, and Authorization is whatever the caller wrote into it.
 */
function readBearer(request: IncomingMessage): string | undefined {
  const header = readHeader(request, 'x-serverless-authorization') ?? readHeader(request, 'authorization');
  return /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
}

function readHeader({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  const values = headersDistinct[name];
  // Of two, nobody knows which one was verified.
  if (values && values.length > 1) throw new NotAuthorizedError(`Send the header ${name} once.`);
  return values?.[0];
}

function isSigned(token: string): boolean {
  return !token.endsWith('.SIGNATURE_REMOVED_BY_GOOGLE');
}

function nameOf({ email, email_verified: isVerified, sub }: Claims): string {
  // IAP tells only addresses that it has verified, and does not say so.
  return email && isVerified !== false ? email : `sub:${sub}`;
}

function explain({ audiences, iapAudience, trustsCloudRun }: CallerConfig): string {
  if (iapAudience) return 'Only IAP can say who you are: call this service through it.';
  if (trustsCloudRun || audiences.length > 0)
    return 'Say who you are: Authorization: Bearer and a Google ID token.';
  return 'Nobody is known here: set CLOUD_RUN_IAM, IAP_AUDIENCE, CALLER_AUDIENCE, or LOCAL_CALLER on a machine of your own.';
}
