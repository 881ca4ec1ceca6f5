import type { AuthClient } from 'google-auth-library';
import { openCredentials, type ReadConfig, selectCredentials } from '../migrations/credentials.ts';

/** The API of Cloud Run. */
export const cloudRunApi = 'https://run.googleapis.com/v2';

/** A request to an API of Google Cloud, as JSON. */
export type Ask = <Answer>(
  url: string,
  options?: { readonly method?: 'POST' | 'PUT' | 'PATCH'; readonly data?: object },
) => Promise<Answer | undefined>;

type Failure = {
  readonly status?: number;
  readonly data?: { readonly error?: { readonly message?: string } };
};

/** An error that an API of Google Cloud answered. */
export class GoogleApiError extends Error {
  readonly status: number;

  constructor(url: string, status: number, reason: string) {
    super(`${new URL(url).host} answered ${status}: ${reason}`);
    this.status = status;
  }
}

/** Returns a client with the credentials and addresses of Pulumi's provider, sought by its first request. */
export function openGoogleApi(readConfig: ReadConfig): Ask {
  let opened: Promise<Ask> | undefined;
  return async (url, options) => {
    opened ??= openCredentials(selectCredentials(process.env, readConfig)).then((client) =>
      askWith(client, readBillingProject(readConfig)),
    );
    return (await opened)(relocate(url, readConfig), options);
  };
}

const endpoints = {
  [`${cloudRunApi}/`]: ['gcp:cloudRunV2CustomEndpoint', 'GOOGLE_CLOUD_RUN_V2_CUSTOM_ENDPOINT'],
  'https://sqladmin.googleapis.com/sql/v1beta4/': ['gcp:sqlCustomEndpoint', 'GOOGLE_SQL_CUSTOM_ENDPOINT'],
} as const;

/** Replaces the address of an API by that of the provider: a custom endpoint, or another universe. */
export function relocate(url: string, readConfig: ReadConfig): string {
  for (const [usual, [key, variable]] of Object.entries(endpoints)) {
    const custom = readConfig(key) || process.env[variable];
    if (custom && url.startsWith(usual)) return custom + url.slice(usual.length);
  }
  const universe = readConfig('gcp:universeDomain') || process.env.GOOGLE_UNIVERSE_DOMAIN;
  return universe ? url.replace(/^(https:\/\/[a-z]+\.)googleapis\.com\//, `$1${universe}/`) : url;
}

/** The project that pays for requests, if it is not that of the resource. */
function readBillingProject(readConfig: ReadConfig): string | undefined {
  const isOverride = readConfig('gcp:userProjectOverride') ?? process.env.USER_PROJECT_OVERRIDE;
  if (isOverride !== 'true') return undefined;
  return readConfig('gcp:billingProject') || process.env.GOOGLE_BILLING_PROJECT;
}

/** Returns a client that repeats failed reads, returns undefined for 404, and throws GoogleApiErrors. */
export function askWith(client: AuthClient, billingProject?: string): Ask {
  const headers = billingProject ? { 'x-goog-user-project': billingProject } : undefined;
  return async <Answer>(url: string, options = {}) => {
    try {
      const { data } = await client.request<Answer>({
        ...options,
        ...(headers && { headers }),
        url,
        retry: true,
        timeout: 30_000,
      });
      return data;
    } catch (error) {
      const { status, data } = (error as { response?: Failure }).response ?? {};
      if (status === 404) return undefined;
      if (status === undefined) throw error;
      throw new GoogleApiError(url, status, data?.error?.message ?? JSON.stringify(data));
    }
  };
}
