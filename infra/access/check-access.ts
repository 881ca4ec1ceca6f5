import { setTimeout } from 'node:timers/promises';
import type * as pulumi from '@pulumi/pulumi';
import type { AuthClient } from 'google-auth-library';
import { openCredentials, selectCredentials } from '../../migrations/credentials.ts';
import { explainPublic, type Invokers } from '../../shared/explain-public.ts';
import type { ReadConfig, WithCode } from '../dynamic-provider.ts';

export type Inputs = WithCode<{ readonly service: string; readonly iap: boolean }>;

type Access = Invokers & { readonly service: { readonly iapEnabled?: boolean } };
type Operation = { readonly name: string; readonly done?: boolean; readonly error?: { message: string } };

/** How often a change is looked at, every 500 ms, before it counts as failed. */
const maxLooks = 600;

/** Switches IAP as `iap` says. Throws an Error if Cloud Run admits callers without a token. */
export async function create(
  inputs: Inputs,
  readConfig: ReadConfig,
): Promise<pulumi.dynamic.CreateResult<Inputs>> {
  return { id: inputs.service, outs: await update(inputs, inputs, readConfig) };
}

/** Does the same. */
export async function update(_olds: Inputs, news: Inputs, readConfig: ReadConfig): Promise<Inputs> {
  const cloudRun = await openCloudRun(readConfig);
  const access = await cloudRun.read(news.service);
  assertPrivate(news.service, access);
  if ((access.service.iapEnabled ?? false) !== news.iap) await cloudRun.switchIap(news.service, news.iap);
  return news;
}

/** Compares with Cloud Run, so that a preview already fails, and finds that IAP was switched. */
export async function diff(
  olds: Inputs,
  news: Inputs,
  readConfig: ReadConfig,
): Promise<pulumi.dynamic.DiffResult> {
  const access = await readIfPossible(news.service, readConfig);
  if (access) assertPrivate(news.service, access);
  const isSwitched = access !== undefined && (access.service.iapEnabled ?? false) !== news.iap;
  return {
    changes: isSwitched || olds.iap !== news.iap || olds.service !== news.service,
    replaces: olds.service === news.service ? [] : ['service'],
  };
}

/** Returns undefined without access to Cloud Run, as in a preview without credentials, or if the service was deleted. */
async function readIfPossible(service: string, readConfig: ReadConfig): Promise<Access | undefined> {
  try {
    return await (await openCloudRun(readConfig)).read(service);
  } catch {
    return undefined;
  }
}

function assertPrivate(service: string, access: Access): void {
  const problem = explainPublic(service, access);
  if (problem) throw new Error(`${problem} It would make everyone an operator.`);
}

/** Reads and changes services with the credentials, and at the endpoint, of Pulumi's provider. */
async function openCloudRun(readConfig: ReadConfig) {
  const client = await openCredentials(selectCredentials(process.env, readConfig));
  const endpoint =
    readConfig('gcp:cloudRunV2CustomEndpoint') || process.env.GOOGLE_CLOUD_RUN_V2_CUSTOM_ENDPOINT;
  const api = endpoint || 'https://run.googleapis.com/v2/';
  return {
    read: async (service: string): Promise<Access> => ({
      service: await request(client, api + service),
      policy: await request(client, `${api}${service}:getIamPolicy`),
    }),
    switchIap: async (service: string, iapEnabled: boolean): Promise<void> => {
      const url = `${api}${service}?updateMask=iapEnabled`;
      let operation = await request<Operation>(client, url, { iapEnabled });
      for (let looks = 0; !operation.done; looks++) {
        if (looks === maxLooks) throw new Error(`Cloud Run has not finished ${operation.name} in time.`);
        await setTimeout(500);
        operation = await request(client, api + operation.name);
      }
      if (operation.error) {
        throw new Error(`Cloud Run did not switch IAP of ${service}: ${operation.error.message}`);
      }
    },
  };
}

/** Sends GET, or PATCH if there are `changes`. Throws an Error with the message of Google. */
async function request<Body>(client: AuthClient, url: string, changes?: object): Promise<Body> {
  try {
    const method = changes ? 'PATCH' : 'GET';
    const { data } = await client.request<Body>({
      url,
      method,
      timeout: 10_000,
      responseType: 'json',
      ...(changes && { data: changes }),
    });
    return data;
  } catch (error) {
    throw new Error(`${url}: ${error instanceof Error ? error.message : error}`);
  }
}
