import { setTimeout as pause } from 'node:timers/promises';
import { explainPublic, type Invokers } from '../../shared/explain-public.ts';
import { type Ask, cloudRunApi } from '../google-api.ts';

type Grant = { readonly role: string; readonly member: string };

/** The grants of a service of Cloud Run: members that may call or read it. */
export type ServiceAccess = {
  /** The grants that it must have: an update that makes a service anew loses its policy. */
  readonly grants: readonly Grant[];
  /** Nobody else may call it: the functions behind it believe the tokens that Cloud Run has verified. */
  readonly isPrivate: boolean;
  /** Identity-Aware Proxy authenticates its callers. Cloud Functions has no setting for it. */
  readonly iap: boolean;
};

type Binding = { readonly role: string; readonly members?: readonly string[]; readonly condition?: object };
type Policy = {
  readonly etag?: string;
  readonly version?: number;
  readonly bindings?: readonly Binding[];
};
type Service = Invokers['service'] & { readonly iapEnabled?: boolean };
type Found = NonNullable<Awaited<ReturnType<typeof readAccess>>>;
type Operation = { readonly name: string; readonly done?: boolean; readonly error?: { message: string } };

/** How often a change is looked at, every 500 ms, before it counts as failed. */
const maxLooks = 600;

/** Whether access differs from what is wanted. Throws an Error if everyone may call a private service. */
export async function hasOtherAccess(ask: Ask, name: string, wanted: ServiceAccess): Promise<boolean> {
  // Not in a preview without access to Cloud Run, or of a service that was deleted.
  const found = await readAccess(ask, name).catch(() => undefined);
  if (!found) return false;
  assertPrivate(name, found, wanted);
  return found.iap !== wanted.iap || wanted.grants.reduce(addGrant, found.bindings) !== found.bindings;
}

/** Gives a service the access that is wanted. Throws an Error if everyone may call a private service. */
export async function restoreAccess(ask: Ask, name: string, wanted: ServiceAccess): Promise<void> {
  const found = await readAccess(ask, name);
  if (!found) throw new Error(`Cloud Run has no service ${name}.`);
  assertPrivate(name, found, wanted);
  if (found.iap !== wanted.iap) await switchIap(ask, name, wanted.iap);
  const bindings = wanted.grants.reduce(addGrant, found.bindings);
  if (bindings === found.bindings) return;
  const data = { policy: { ...found.policy, bindings } };
  await ask(`${cloudRunApi}/${name}:setIamPolicy`, { method: 'POST', data });
}

/** The same bindings if they have the grant. One binding for each role, as the provider reads a policy. */
function addGrant(bindings: readonly Binding[], { role, member }: Grant): readonly Binding[] {
  const same = bindings.find((each) => each.role === role && !each.condition);
  if (same?.members?.includes(member)) return bindings;
  const others = bindings.filter((each) => each !== same);
  return [...others, { role, members: [...(same?.members ?? []), member] }];
}

function assertPrivate(name: string, found: Found, { isPrivate }: ServiceAccess): void {
  const problem = isPrivate ? explainPublic(name, found) : undefined;
  if (problem) throw new Error(`${problem} It would make everyone an operator.`);
}

async function readAccess(ask: Ask, name: string) {
  const service = await ask<Service>(`${cloudRunApi}/${name}`);
  const policy = await ask<Policy>(`${cloudRunApi}/${name}:getIamPolicy?options.requestedPolicyVersion=3`);
  if (!service || !policy) return undefined;
  return { service, policy, bindings: policy.bindings ?? [], iap: service.iapEnabled ?? false };
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
