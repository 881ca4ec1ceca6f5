import { type Google, numberOf } from './google.ts';
import type { Revision } from './revision.ts';

/**
 * Makes a revision what a Cloud Run service serves; creates the service with its first one.
 * https://cloud.google.com/run/docs/reference/rest/v2/projects.locations.services
 */
export function serveRevision(google: Google, service: string, revision: Revision): void {
  const { number, variables, account } = revision;
  const name = `${service.split('/').at(-1)}-${String(number).padStart(5, '0')}-abc`;
  const env = Object.entries(variables).map(([variable, value]) => ({ name: variable, value }));
  google.revisions.set(service, revision);
  google.resources.set(service, {
    name: service,
    uri: uriOf(service),
    latestReadyRevision: `${service}/revisions/${name}`,
    latestCreatedRevision: `${service}/revisions/${name}`,
    template: { serviceAccount: account, containers: [{ env }] },
    trafficStatuses: [{ type: 'TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST', percent: 100 }],
    ingress: String(revision.settings.ingressSettings ?? 'ALLOW_ALL'),
  });
}

/** `https://dlo-capture-12ab34cd-ew.a.run.app` */
export function uriOf(service: string): string {
  const [, project = '', , location = ''] = service.split('/');
  const hash = Number(numberOf(project)).toString(36).slice(0, 8);
  const short = location.replace(/^(\w)\w*-(\w).*?(\d*)$/, '$1$2$3');
  return `https://${service.split('/').at(-1)}-${hash}-${short}.a.run.app`;
}
