import type { OAuth2Client } from 'google-auth-library';
import * as v from 'valibot';
import { NotAuthorizedError } from '../../shared/errors.ts';
import type { Keyring } from './public-keys.ts';

const text = v.pipe(v.string(), v.nonEmpty());

/** The claims of a token that this service reads; one of another type could pass for anything. */
const ClaimsSchema = v.object({
  sub: text,
  email: v.optional(text),
  email_verified: v.optional(v.boolean()),
});

export type Claims = v.InferOutput<typeof ClaimsSchema>;

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
    return v.parse(ClaimsSchema, ticket.getPayload());
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
  const claims = v.safeParse(VerifiedSchema, decodeSegment(payload));
  if (!claims.success) return rejectToken();
  const { iss, exp } = claims.output;
  return issuers.includes(iss) && exp * 1000 >= Date.now() - 300_000 ? claims.output : rejectToken();
}

const VerifiedSchema = v.object({ ...ClaimsSchema.entries, iss: text, exp: v.number() });

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
