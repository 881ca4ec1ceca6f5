import type { IdTokenClient } from 'google-auth-library';
import { log } from '../log.ts';

const clients = new Map<string, Promise<IdTokenClient | undefined>>();

/**
 * The value of an Authorization header with an OIDC identity token for `audience`; the client caches the token until
 * it is about to expire. Undefined where nothing can mint one, as with a person's own login on a laptop. On Google
 * Cloud that cannot be, and throws: a delivery without its token would only be refused.
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
    log('WARNING', `Delivering to ${audience} without an identity token: nothing here can mint one.`);
    return undefined;
  }
}
