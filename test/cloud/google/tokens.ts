/** An access token that says whose it is. */
export function tokenOf(member: string): string {
  return `ya29.${Buffer.from(member).toString('base64url')}`;
}

/** Returns the IAM member of a token; a member without rights for any other text. */
export function memberOf(token: string): string {
  const [, encoded] = /^ya29\.([\w-]+)/.exec(token) ?? [];
  return encoded ? Buffer.from(encoded, 'base64url').toString() : 'user:nobody@example.com';
}
