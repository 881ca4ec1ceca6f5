import { type Ask, cloudRunApi } from '../google-api.ts';

/** The variable of a function that names what was deployed: a hash of its source and its configuration. */
export const deploymentVariable = 'DEPLOYMENT_HASH';

type Service = {
  readonly latestReadyRevision?: string;
  readonly trafficStatuses?: readonly { readonly revision?: string; readonly percent?: number }[];
};
type Revision = {
  readonly containers?: readonly {
    readonly env?: readonly { readonly name: string; readonly value?: string }[];
  }[];
};

/**
 * Returns the deployment hashes of the revisions of a Cloud Run service that get requests; none if it does
 * not exist or never became ready. A failed build leaves the service as it was, and a revision that does not
 * start gets no requests. `service` is `projects/PROJECT/locations/LOCATION/services/NAME`.
 */
export async function readServed(ask: Ask, service: string): Promise<ReadonlySet<string>> {
  const found = await ask<Service>(`${cloudRunApi}/${service}`);
  const { latestReadyRevision: latest, trafficStatuses = [] } = found ?? {};
  const receiving = trafficStatuses.filter(({ percent = 0 }) => percent > 0);
  const named = receiving.length > 0 ? receiving.map(({ revision }) => revision || latest) : [latest];
  const revisions = new Set(named.flatMap((revision) => (revision ? [revision.split('/').at(-1)] : [])));
  const served = [...revisions].map(async (revision) => {
    const { containers } = (await ask<Revision>(`${cloudRunApi}/${service}/revisions/${revision}`)) ?? {};
    return containers?.[0]?.env?.find(({ name }) => name === deploymentVariable)?.value ?? '';
  });
  return new Set(await Promise.all(served));
}

/** Whether all requests are served by this deployment. */
export function isServing(served: ReadonlySet<string>, deployment: string): boolean {
  return served.size === 1 && served.has(deployment);
}
