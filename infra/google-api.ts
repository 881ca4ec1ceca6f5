import { setTimeout as pause } from 'node:timers/promises';
import { unknownValue } from '@pulumi/pulumi/runtime/rpc.js';
import { type AuthClient, OAuth2Client } from 'google-auth-library';
import type { ConnectorOptions } from '../shared/database/cloud-sql.ts';
import { expiredToken } from '../shared/errors.ts';

export const cloudRunApi = 'https://run.googleapis.com/v2';
/** The Admin API of Cloud SQL. */
export const cloudSqlApi = 'https://sqladmin.googleapis.com/sql/v1beta4';

/** A request to an API of Google Cloud, as JSON. Throws a GoogleApiError. */
export type Ask = <Answer>(
  url: string,
  options?: { readonly method?: 'POST' | 'PUT' | 'PATCH'; readonly data?: object },
) => Promise<Answer>;

type Failure = {
  readonly status?: number;
  readonly data?: { readonly error?: { readonly message?: string } };
};

/** An error that an API of Google Cloud answered. */
export class GoogleApiError extends Error {
  readonly status: number;

  constructor(url: string, status: number, reason: string) {
    const remedy = status === 401 ? ` ${expiredToken}` : '';
    super(`${new URL(url).host} answered ${status}: ${reason}${remedy}`);
    this.status = status;
  }
}

/** Returns what is at an address, or undefined if nothing is. */
export function find<Found>(ask: Ask, url: string): Promise<Found | undefined> {
  return ask<Found>(url).catch((error: unknown) => {
    if (error instanceof GoogleApiError && error.status === 404) return undefined;
    throw error;
  });
}

type Operation = {
  readonly name: string;
  /** As Cloud Run has it; Cloud SQL has the status and the errors. */
  readonly done?: boolean;
  readonly status?: string;
  readonly error?: { readonly message?: string; readonly errors?: readonly { readonly message?: string }[] };
};

/** Waits for an operation below `parent`. Throws an Error if it fails or takes more than 10 minutes. */
export async function finish(ask: Ask, parent: string, begun: Operation): Promise<void> {
  const until = Date.now() + 600_000;
  let operation = begun;
  while (!operation.done && operation.status !== 'DONE') {
    if (Date.now() > until) throw new Error(`Not finished after 10 minutes: ${parent}/${operation.name}`);
    await pause(1000);
    operation = await ask(`${parent}/${operation.name}`);
  }
  const { error } = operation;
  const reason = error?.message ?? error?.errors?.[0]?.message ?? 'unknown error';
  if (error) throw new Error(`${new URL(parent).host} failed: ${reason} (${operation.name})`);
}

/** Options of the provider beside its credentials, with the variables that it reads: who pays, and where to. */
const variables = {
  userProjectOverride: 'USER_PROJECT_OVERRIDE',
  billingProject: 'GOOGLE_BILLING_PROJECT',
  universeDomain: 'GOOGLE_UNIVERSE_DOMAIN',
  cloudRunV2CustomEndpoint: 'GOOGLE_CLOUD_RUN_V2_CUSTOM_ENDPOINT',
  sqlCustomEndpoint: 'GOOGLE_SQL_CUSTOM_ENDPOINT',
} as const;

type OptionName = keyof typeof variables;
type Options = Readonly<Partial<Record<OptionName, string | null>>>;
export const optionNames = Object.keys(variables) as OptionName[];

/** How the provider of a deployment reaches Google Cloud; without a token in a preview that does not know. */
export type GoogleAccess = { readonly accessToken?: string | undefined; readonly options: Options };

/** Google Cloud, as the provider of a deployment reaches it. */
export type Google = { readonly ask: Ask; readonly connector: ConnectorOptions };

export function openGoogle({ accessToken, options }: GoogleAccess): Google {
  const auth = new OAuth2Client();
  auth.setCredentials({ access_token: accessToken ?? null });
  const read = (name: OptionName) => {
    const given = options[name];
    return (given !== unknownValue && given) || process.env[variables[name]];
  };
  const [universeDomain, sqlEndpoint] = [read('universeDomain'), read('sqlCustomEndpoint')];
  return {
    ask: askWith(auth, read),
    connector: {
      auth,
      ...(universeDomain && { universeDomain }),
      ...(sqlEndpoint && { sqlAdminAPIEndpoint: new URL('/', sqlEndpoint).href }),
    },
  };
}

type ReadOption = (name: OptionName) => string | undefined;

/** Replaces the address of an API by that of the provider: a custom endpoint, or another universe. */
function relocateUrl(url: string, read: ReadOption): string {
  const endpoints = {
    [cloudRunApi]: read('cloudRunV2CustomEndpoint'),
    [cloudSqlApi]: read('sqlCustomEndpoint'),
  };
  for (const [usual, custom] of Object.entries(endpoints)) {
    if (custom && url.startsWith(`${usual}/`)) return custom + url.slice(usual.length + 1);
  }
  return url.replace('googleapis.com', read('universeDomain') || 'googleapis.com');
}

/** Returns a client that repeats failed reads. */
export function askWith(client: AuthClient, read: ReadOption): Ask {
  const billingProject = read('userProjectOverride') === 'true' ? read('billingProject') : undefined;
  const headers = billingProject ? { 'x-goog-user-project': billingProject } : {};
  return async <Answer>(url: string, options = {}) => {
    const request = { ...options, headers, url: relocateUrl(url, read), retry: true, timeout: 30_000 };
    try {
      return (await client.request<Answer>(request)).data;
    } catch (error) {
      const { status, data } = (error as { response?: Failure }).response ?? {};
      if (status === undefined) throw error;
      throw new GoogleApiError(url, status, data?.error?.message ?? JSON.stringify(data));
    }
  };
}
