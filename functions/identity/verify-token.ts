import type { OAuth2Client, TokenPayload } from 'google-auth-library';
import { NotAuthorizedError } from '../../shared/errors.ts';
import type { Keyring } from './public-keys.ts';

/** What a token says, as far as anybody here looks at it. */
export type Claims = Pick<TokenPayload, 'sub' | 'email' | 'email_verified'>;

export type Expected = {
  readonly keyring: Keyring;
  readonly audience: readonly string[];
  readonly issuers: readonly string[];
};

let verifier: Promise<OAuth2Client> | undefined;

/** Returns what a token claims, if it is signed, meant for us, and valid now. Throws NotAuthorizedError otherwise. */
export async function verifyToken(token: string, { keyring, audience, issuers }: Expected): Promise<Claims> {
  const { kid } = decode(token.split('.')[0]) as { kid?: unknown };
  const keys = await keyring(String(kid));
  // Loaded when the first token arrives: it costs a cold start more than the rest of the function.
  verifier ??= import('google-auth-library').then((library) => new library.OAuth2Client());
  const client = await verifier;
  try {
    const ticket = await client.verifySignedJwtWithCertsAsync(token, keys, [...audience], [...issuers]);
    return ticket.getPayload() ?? refuse();
  } catch {
    // Its message would quote the token.
    return refuse();
  }
}

/**
 * Returns what a token claims whose signature Cloud Run has taken off, after it verified it. Only where nothing else can
 * have sent it is it worth anything. Throws NotAuthorizedError where it is none of these, or has expired since.
 * https://docs.cloud.google.com/run/docs/troubleshooting#signature-removed
 */
export function readVerifiedToken(token: string, { issuers }: Pick<Expected, 'issuers'>): Claims {
  const [, payload, signature] = token.split('.');
  if (signature !== 'SIGNATURE_REMOVED_BY_GOOGLE') return refuse();
  const claims = decode(payload) as Partial<TokenPayload>;
  if (!claims.iss || !issuers.includes(claims.iss)) return refuse();
  if (!claims.exp || claims.exp * 1000 < Date.now() - 300_000 || !claims.sub) return refuse();
  return { ...claims, sub: claims.sub };
}

function decode(segment: string | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(segment ?? '', 'base64url').toString('utf8')) ?? refuse();
  } catch {
    return refuse();
  }
}

function refuse(): never {
  throw new NotAuthorizedError(
    'This token does not prove who you are: it is not valid, or not meant for this service.',
  );
}
