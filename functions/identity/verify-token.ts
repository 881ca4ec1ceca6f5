import type { OAuth2Client, TokenPayload } from 'google-auth-library';
import { NotAuthorizedError } from '../../shared/errors.ts';
import type { Keyring } from './public-keys.ts';

/** The claims of a token that this service reads. */
export type Claims = Pick<TokenPayload, 'sub' | 'email' | 'email_verified'>;

/** The audience of a token, and the keys and issuers of which it must match one each. */
type Expected = {
  readonly keyring: Keyring;
  readonly audience: string;
  readonly issuers: readonly string[];
};

let verifier: Promise<OAuth2Client> | undefined;

/** Returns the claims of a token that is signed, valid now, and as expected, or throws NotAuthorizedError. */
export async function verifyToken(token: string, { keyring, audience, issuers }: Expected): Promise<Claims> {
  const { kid } = decodeSegment(token.split('.')[0]) as { kid?: unknown };
  const keys = await keyring(String(kid));
  // Loaded with the first token: the library takes longer to load than the rest of the function.
  verifier ??= import('google-auth-library').then((library) => new library.OAuth2Client());
  const client = await verifier;
  try {
    const ticket = await client.verifySignedJwtWithCertsAsync(token, keys, audience, [...issuers]);
    return toClaims(ticket.getPayload() ?? {});
  } catch {
    // The message of the library quotes the token.
    return rejectToken();
  }
}

/**
 * Returns the claims of a token that Cloud Run has verified and stripped of its signature. Trustworthy only
 * if every request passes Cloud Run's IAM check: see invoker-policy.ts. Throws NotAuthorizedError for any
 * other token, and for one that has expired.
 * https://docs.cloud.google.com/run/docs/troubleshooting#signature-removed
 */
export function readVerifiedToken(token: string, { issuers }: Pick<Expected, 'issuers'>): Claims {
  const [, payload, signature] = token.split('.');
  if (signature !== 'SIGNATURE_REMOVED_BY_GOOGLE') return rejectToken();
  const claims = decodeSegment(payload) as Partial<TokenPayload>;
  if (!claims.iss || !issuers.includes(claims.iss)) return rejectToken();
  const { exp } = claims;
  if (typeof exp !== 'number' || exp * 1000 < Date.now() - 300_000) return rejectToken();
  return toClaims(claims);
}

/** A claim of another type than the specification gives it could pass for anything. */
function toClaims({ sub, email, email_verified: isVerified }: Partial<TokenPayload>): Claims {
  const isText = (claim: unknown) => typeof claim === 'string' && claim !== '';
  if (!isText(sub) || !(email === undefined || isText(email))) return rejectToken();
  if (!(isVerified === undefined || typeof isVerified === 'boolean')) return rejectToken();
  return {
    sub: sub as string,
    ...(email && { email }),
    ...(isVerified !== undefined && { email_verified: isVerified }),
  };
}

function decodeSegment(segment: string | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(segment ?? '', 'base64url').toString('utf8')) ?? rejectToken();
  } catch {
    return rejectToken();
  }
}

function rejectToken(): never {
  throw new NotAuthorizedError('The token is invalid, expired, or issued for another service.');
}
