import { OAuth2Client } from 'google-auth-library';
import { type CredentialSource, openCredentials } from '../../migrations/credentials.ts';

/**
 * Throws an Error if these credentials are those of another account than the deployer, which could not log in
 * to the database as the deployer.
 */
export async function assertDeployer(source: CredentialSource, deployer: string): Promise<void> {
  // Where Google does not report it, the login to the database decides.
  const found = source.impersonated ?? (await askForEmail(source).catch(() => undefined));
  const email = found?.toLowerCase();
  if (email === undefined || deployer.replace(/^\w+:/, '') === email) return;
  const kind = email.endsWith('.gserviceaccount.com') ? 'serviceAccount' : 'user';
  throw new Error(
    `The deployer is ${deployer}, and the credentials are those of ${email}, which cannot log in to the database as ` +
      `the deployer. Use its credentials, or: pulumi config set deployer ${kind}:${email}`,
  );
}

async function askForEmail(source: CredentialSource): Promise<string | undefined> {
  const { token } = await (await openCredentials(source)).getAccessToken();
  return (await new OAuth2Client().getTokenInfo(token ?? '')).email;
}
