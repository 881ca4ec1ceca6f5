import { setTimeout as pause } from 'node:timers/promises';
import { explainPublic, type Invokers } from '../../shared/explain-public.ts';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import { type Ask, cloudRunApi } from '../google-api.ts';

export type PrivateServiceInputs = {
  /** `projects/PROJECT/locations/REGION/services/SERVICE` */
  readonly service: string;
  /** Identity-Aware Proxy authenticates its callers. */
  readonly iap: boolean;
};

type Access = Invokers & { readonly service: { readonly iapEnabled?: boolean } };
type Operation = { readonly name: string; readonly done?: boolean; readonly error?: { message: string } };

/** How often a change is looked at, every 500 ms, before it counts as failed. */
const maxLooks = 600;

/** Fails each preview and update while Cloud Run admits callers without a token, and switches IAP. */
export const privateService: DynamicKind<PrivateServiceInputs> = {
  replaces: ['service'],
  identify: ({ service }) => service,
  hasChanged: async ({ ask }, olds, { service, iap }) => {
    // Not in a preview without access to Cloud Run, or of a service that was deleted.
    const access = await readAccess(ask, service).catch(() => undefined);
    if (access) assertPrivate(service, access);
    return olds.iap !== iap || (access !== undefined && hasIap(access) !== iap);
  },
  apply: async ({ ask }, { service, iap }) => {
    const access = await readAccess(ask, service);
    if (!access) throw new Error(`Cloud Run has no service ${service}.`);
    assertPrivate(service, access);
    if (hasIap(access) !== iap) await switchIap(ask, service, iap);
  },
};

const hasIap = ({ service: { iapEnabled = false } }: Access): boolean => iapEnabled;

function assertPrivate(service: string, access: Access): void {
  const problem = explainPublic(service, access);
  if (problem) throw new Error(`${problem} It would make everyone an operator.`);
}

async function readAccess(ask: Ask, name: string): Promise<Access | undefined> {
  const service = await ask<Access['service']>(`${cloudRunApi}/${name}`);
  const policy = await ask<Access['policy']>(`${cloudRunApi}/${name}:getIamPolicy`);
  return service && policy && { service, policy };
}

async function switchIap(ask: Ask, service: string, iapEnabled: boolean): Promise<void> {
  const url = `${cloudRunApi}/${service}?updateMask=iapEnabled`;
  let operation = await ask<Operation>(url, { method: 'PATCH', data: { iapEnabled } });
  for (let looks = 0; !operation?.done; looks++) {
    if (!operation || looks === maxLooks) throw new Error(`Cloud Run has not finished in time: ${url}`);
    await pause(500);
    operation = await ask(`${cloudRunApi}/${operation.name}`);
  }
  if (operation.error) {
    throw new Error(`Cloud Run did not switch IAP of ${service}: ${operation.error.message}`);
  }
}
