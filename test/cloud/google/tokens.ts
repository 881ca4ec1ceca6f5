/** Returns an access token that names its owner. */
export function tokenOf(member: string): string {
  return `ya29.${Buffer.from(member).toString('base64url')}`;
}

/** Returns the IAM member of an access token; a member without permissions for any other text. */
export function memberOf(token: string): string {
  const [, encoded] = /^ya29\.([\w-]+)/.exec(token) ?? [];
  return encoded ? Buffer.from(encoded, 'base64url').toString() : 'user:nobody@example.com';
}

/**
 * Returns an identity token, which is valid for an hour.
 * https://cloud.google.com/docs/authentication/token-types#id
 */
export function idTokenOf(member: string, audience: string, now = Date.now()): string {
  const email = member.replace(/^\w+:/, '');
  const claims = {
    iss: 'https://accounts.google.com',
    aud: audience,
    sub: email,
    email,
    email_verified: true,
  };
  const exp = Math.floor(now / 1000) + 3600;
  return [{ alg: 'RS256' }, { ...claims, exp }].map(encode).concat('signed').join('.');
}

export type IdToken = {
  readonly member: string;
  readonly audience: string;
  readonly withoutSignature: string;
};

/** Reads an identity token of the stand-in; undefined if it is not one. */
export function readIdToken(token: string): IdToken | undefined {
  const [header, payload, signature] = token.split('.');
  if (signature !== 'signed' || !payload) return undefined;
  const { email, aud } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const kind = String(email).endsWith('.gserviceaccount.com') ? 'serviceAccount' : 'user';
  const withoutSignature = `${header}.${payload}.SIGNATURE_REMOVED_BY_GOOGLE`;
  return { member: `${kind}:${email}`, audience: aud, withoutSignature };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
