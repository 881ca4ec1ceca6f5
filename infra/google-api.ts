import type { AuthClient } from 'google-auth-library';
import { openCredentials, type ReadConfig, selectCredentials } from '../migrations/credentials.ts';

/** The API of Cloud Run. */
export const cloudRunApi = 'https://run.googleapis.com/v2';

/** A request to an API of Google Cloud, as JSON. */
export type Ask = <Answer>(
  url: string,
  options?: { readonly method?: 'POST' | 'PUT' | 'PATCH'; readonly data?: object },
) => Promise<Answer | undefined>;

/** An error that an API of Google Cloud answered. */
export class GoogleApiError extends Error {
  readonly status: number;

  constructor(url: string, status: number, reason: string) {
    super(`${new URL(url).host} answered ${status}: ${reason}`);
    this.status = status;
  }
}

/**
 * Returns a client of Google's APIs with the credentials of Pulumi's provider, which its first request looks
 * for.
 */
export function openGoogleApi(readConfig: ReadConfig): Ask {
  let opened: Promise<Ask> | undefined;
  return async (url, options) => {
    opened ??= openCredentials(selectCredentials(process.env, readConfig)).then(askWith);
    return (await opened)(url, options);
  };
}

/**
 * Returns a client of Google's APIs with these credentials. It repeats reads that fail with 429 or 5xx,
 * returns undefined for 404, and throws a GoogleApiError.
 */
export function askWith(client: AuthClient): Ask {
  return async <Answer>(url: string, options = {}) => {
    try {
      const { data } = await client.request<Answer>({ ...options, url, retry: true, timeout: 30_000 });
      return data;
    } catch (error) {
      const { status, data } = (error as { response?: Response }).response ?? {};
      if (status === 404) return undefined;
      if (status === undefined) throw error;
      throw new GoogleApiError(url, status, data?.error?.message ?? JSON.stringify(data));
    }
  };
}

type Response = {
  readonly status?: number;
  readonly data?: { readonly error?: { readonly message?: string } };
};
