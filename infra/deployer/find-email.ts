import {
  type AuthClient,
  BaseExternalAccountClient,
  Compute,
  GoogleAuth,
  Impersonated,
  JWT,
  OAuth2Client,
} from 'google-auth-library';

/**
 * Returns the address of the account that these credentials are for, in lower case; undefined if Google does
 * not report it. Throws an Error if the access token is rejected.
 */
export async function findEmail(client: AuthClient): Promise<string | undefined> {
  return (readEmail(client) ?? (await askForEmail(client)))?.toLowerCase();
}

function readEmail(client: AuthClient): string | undefined {
  if (client instanceof JWT) return client.email;
  if (client instanceof Impersonated) return client.getTargetPrincipal();
  if (client instanceof BaseExternalAccountClient) return client.getServiceAccountEmail() ?? undefined;
  return undefined;
}

async function askForEmail(client: AuthClient): Promise<string | undefined> {
  const { token } = await client.getAccessToken();
  const { email } = await new OAuth2Client().getTokenInfo(token ?? '');
  if (email || !(client instanceof Compute)) return email;
  return (await new GoogleAuth().getCredentials()).client_email;
}
