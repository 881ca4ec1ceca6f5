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
type Policy = { readonly bindings?: readonly Binding[] };
type Service = Invokers['service'] & { readonly iapEnabled?: boolean };
type Operation = { readonly name: string; readonly done?: boolean; readonly error?: { message: string } };

/** How often a change is looked at, every 500 ms, before it counts as failed. */
const maxLooks = 600;

/**
 * Lists the changes that give a service the access that is wanted; none of a service that was deleted. Throws an
 * Error if everyone may call a private one.
 */
export async function listAccessChanges(ask: Ask, name: string, { grants, isPrivate, iap }: ServiceAccess) {
  const url = `${cloudRunApi}/${name}`;
  const service = await ask<Service>(url);
  const policy = await ask<Policy>(`${url}:getIamPolicy?options.requestedPolicyVersion=3`);
  if (!service || !policy) return [];
  const problem = isPrivate ? explainPublic(name, { service, policy }) : undefined;
  if (problem) throw new Error(`${problem} It would make everyone an operator.`);
  const found = policy.bindings ?? [];
  const bindings = grants.reduce(addGrant, found);
  const data = { policy: { ...policy, bindings } };
  return [
    ...(iap === (service.iapEnabled ?? false) ? [] : [() => switchIap(ask, name, iap)]),
    ...(bindings === found ? [] : [() => ask(`${url}:setIamPolicy`, { method: 'POST', data })]),
  ];
}

/** The same bindings if they have the grant. One binding for each role, as the provider reads a policy. */
function addGrant(bindings: readonly Binding[], { role, member }: Grant): readonly Binding[] {
  const same = bindings.find((each) => each.role === role && !each.condition);
  if (same?.members?.includes(member)) return bindings;
  const others = bindings.filter((each) => each !== same);
  return [...others, { role, members: [...(same?.members ?? []), member] }];
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
