import { existsSync } from 'node:fs';
import { type AuthClient, GoogleAuth, Impersonated, OAuth2Client } from 'google-auth-library';

/** The Google credentials to use. Empty: the Application Default Credentials. */
export type CredentialSource = {
  /** An access token; it takes precedence over `key`. */
  readonly token?: string | undefined;
  /** A credentials file of any type, or its content. */
  readonly key?: string | undefined;
  /** E-mail of the service account that these credentials impersonate. */
  readonly impersonated?: string | undefined;
  /** E-mails of the accounts in between, in order. */
  readonly delegates?: readonly string[];
  /** The domain of Google Cloud; default: googleapis.com. */
  readonly universeDomain?: string | undefined;
  /** The address of the Admin API of Cloud SQL; default: that of the domain. */
  readonly sqlAdminAPIEndpoint?: string | undefined;
};

/** Reads a value of the stack's configuration by its full key, such as `gcp:accessToken`. */
export type ReadConfig = (key: string) => string | undefined;

const targetScopes = ['https://www.googleapis.com/auth/cloud-platform'];
const scopes = [...targetScopes, 'https://www.googleapis.com/auth/userinfo.email'];

/**
 * Selects credentials as the Google Cloud provider of Pulumi does: token and key from the configuration, or
 * if it has neither, from the environment.
 * https://www.pulumi.com/registry/packages/gcp/installation-configuration/
 */
export function selectCredentials(
  env: NodeJS.ProcessEnv,
  readConfig: ReadConfig = () => undefined,
): CredentialSource {
  if (readConfig('gcp:externalCredentials')) {
    throw new Error('Migrations cannot use externalCredentials of the provider: give it credentials.');
  }
  const [token, key] = [readConfig('gcp:accessToken'), readConfig('gcp:credentials')];
  const own = token || key ? { token, key } : selectFromEnvironment(env);
  const impersonated =
    readConfig('gcp:impersonateServiceAccount') || env.GOOGLE_IMPERSONATE_SERVICE_ACCOUNT || undefined;
  const delegates = JSON.parse(readConfig('gcp:impersonateServiceAccountDelegates') || '[]');
  const universeDomain = readConfig('gcp:universeDomain') || env.GOOGLE_UNIVERSE_DOMAIN || undefined;
  const endpoint = readConfig('gcp:sqlCustomEndpoint') || env.GOOGLE_SQL_CUSTOM_ENDPOINT;
  const sqlAdminAPIEndpoint = endpoint && new URL('/', endpoint).href;
  return { ...own, impersonated, delegates, universeDomain, sqlAdminAPIEndpoint };
}

function selectFromEnvironment(env: NodeJS.ProcessEnv): CredentialSource {
  return {
    token: env.GOOGLE_OAUTH_ACCESS_TOKEN || undefined,
    key: env.GOOGLE_CREDENTIALS || env.GOOGLE_CLOUD_KEYFILE_JSON || env.GCLOUD_KEYFILE_JSON || undefined,
  };
}

/** Opens credentials. Throws an Error if there are none, or if a file cannot be read. */
export async function openCredentials(source: CredentialSource): Promise<AuthClient> {
  const sourceClient = await openSource(source);
  const { impersonated: targetPrincipal, delegates = [] } = source;
  if (!targetPrincipal) return sourceClient;
  return new Impersonated({ sourceClient, targetPrincipal, delegates: [...delegates], targetScopes });
}

async function openSource({ token, key }: CredentialSource): Promise<AuthClient> {
  if (token) {
    const client = new OAuth2Client();
    client.setCredentials({ access_token: token });
    return client;
  }
  if (!key) return new GoogleAuth({ scopes }).getClient();
  if (existsSync(key)) return new GoogleAuth({ keyFilename: key, scopes }).getClient();
  return new GoogleAuth({ credentials: JSON.parse(key), scopes }).getClient();
}
