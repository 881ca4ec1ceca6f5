import { randomInt } from 'node:crypto';
import type { Service } from '../call.ts';
import { newEtag } from '../etag.ts';
import { type Google, numberOf } from '../google.ts';
import type { Json } from '../json.ts';
import { standardMethods } from '../standard-methods.ts';

const newId = () => String(randomInt(2 ** 40));

/** https://cloud.google.com/monitoring/api/ref_v3/rest */
export function monitoring(google: Google): Service {
  return {
    ...standardMethods(google, {
      api: 'monitoring.googleapis.com/v3',
      path: 'projects/{project}/alertPolicies',
      id: newId,
      complete: completePolicy,
    }),
    ...standardMethods(google, {
      api: 'monitoring.googleapis.com/v3',
      path: 'projects/{project}/notificationChannels',
      id: newId,
      complete: (given, name) => ({ enabled: true, ...given, name }),
    }),
    ...standardMethods(google, {
      api: 'monitoring.googleapis.com/v1',
      path: 'projects/{project}/dashboards',
      id: newId,
      complete: (given, name) => ({ ...given, name: byNumber(name), etag: newEtag() }),
    }),
  };
}

function completePolicy(given: Json, name: string): Json {
  const conditions = ((given.conditions ?? []) as Json[]).map((condition) => ({
    name: `${name}/conditions/${newId()}`,
    ...condition,
  }));
  return { enabled: true, ...given, name, conditions };
}

/** Dashboards are named by the number of the project. */
function byNumber(name: string): string {
  return name.replace(/^projects\/([^/]+)/, (_, project: string) => `projects/${numberOf(project)}`);
}
