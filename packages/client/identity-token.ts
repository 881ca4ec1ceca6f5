/** Returns the token of the service account that this program runs as, or undefined outside Google Cloud. */
export type FindToken = () => Promise<string | undefined>;

/** A token is valid for an hour; it is renewed early enough for a clock that is behind. */
const renewBeforeMs = 5 * 60_000;
/** How long the answer "no metadata server" counts: it is asked again after that. */
const absentMs = 60_000;
/** In ms. Long, since a server that is late on a busy machine would count as absent for a minute. */
const timeoutMs = 5000;

/**
 * Asks the metadata server for identity tokens, each of which is used until shortly before it expires.
 * https://docs.cloud.google.com/run/docs/authenticating/service-to-service
 */
export function openIdentity(audience: string): FindToken {
  let known: Known = { token: undefined, until: 0 };
  return async () => {
    if (known.until > Date.now()) return known.token;
    known = await requestToken(audience);
    return known.token;
  };
}

type Known = { readonly token: string | undefined; readonly until: number };

/** An answer that is no token counts as none. */
async function requestToken(audience: string): Promise<Known> {
  const host = process.env.GCE_METADATA_HOST ?? 'metadata.google.internal';
  const url = new URL(`http://${host}/computeMetadata/v1/instance/service-accounts/default/identity`);
  url.searchParams.set('audience', audience);
  try {
    const headers = { 'metadata-flavor': 'Google' };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    const token = (await response.text()).trim();
    if (response.ok && response.headers.get('metadata-flavor') === 'Google')
      return { token, until: expiryOf(token) - renewBeforeMs };
  } catch {}
  return { token: undefined, until: Date.now() + absentMs };
}

/** When a token expires, in ms since 1970. */
function expiryOf(token: string): number {
  const [, claims = ''] = token.split('.');
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  return Number(exp) * 1000;
}
