import { type Binding, explainPublic, type Invokers } from '../../shared/explain-public.ts';
import { type Ask, cloudRunApi, find, finish } from '../google-api.ts';

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

type Service = Invokers['service'] & { readonly iapEnabled?: boolean };

/**
 * Lists the changes that give a service the access that is wanted; none of a service that was deleted. Throws an
 * Error if everyone may call a private one.
 */
export async function listAccessChanges(ask: Ask, name: string, { grants, isPrivate, iap }: ServiceAccess) {
  const url = `${cloudRunApi}/${name}`;
  const service = await find<Service>(ask, url);
  const policy = await find<Invokers['policy']>(ask, `${url}:getIamPolicy?options.requestedPolicyVersion=3`);
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
  await finish(ask, cloudRunApi, await ask(url, { method: 'PATCH', data: { iapEnabled } }));
}
