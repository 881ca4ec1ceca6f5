import type { IdTokenClient } from 'google-auth-library';
import { log } from '../../log.ts';

const clients = new Map<string, Promise<IdTokenClient | undefined>>();

/**
 * Returns an Authorization header value with an OIDC identity token for `audience`. The client caches the
 * token until shortly before it expires. Returns undefined if the credentials cannot mint one, such as a
 * user's login on a laptop. On Google Cloud that throws instead: the target would reject a delivery without a
 * token.
 */
export async function authorizeFor(audience: string): Promise<string | undefined> {
  let opening = clients.get(audience);
  if (!opening) {
    opening = openClient(audience);
    clients.set(audience, opening);
    opening.catch(() => clients.delete(audience));
  }
  const client = await opening;
  const headers = await client?.getRequestHeaders();
  return headers?.get('authorization') ?? undefined;
}

async function openClient(audience: string): Promise<IdTokenClient | undefined> {
  const { GoogleAuth } = await import('google-auth-library');
  try {
    return await new GoogleAuth().getIdTokenClient(audience);
  } catch (error) {
    if (process.env.K_SERVICE) throw error;
    log('WARNING', `Delivering to ${audience} without an identity token: these credentials cannot mint one.`);
    return undefined;
  }
}
