/** An ID token of Ann as Cloud Run passes it on: verified, and without its signature. */
export function cloudRunToken(claims: object = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const ann = {
    iss: 'https://accounts.google.com',
    aud: 'https://replay.example',
    sub: '1001',
    email: 'ann@example.com',
    email_verified: true,
    iat: now - 10,
    exp: now + 3600,
  };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ ...ann, ...claims })}.SIGNATURE_REMOVED_BY_GOOGLE`;
}
