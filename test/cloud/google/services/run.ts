import { pathOf, type Service } from '../call.ts';
import { find, type Google } from '../google.ts';
import { iamMethods } from '../iam-methods.ts';

const api = 'run.googleapis.com/v2';

/** https://cloud.google.com/run/docs/reference/rest/v2/projects.locations.services: those that Cloud Functions makes. */
export function run(google: Google): Service {
  return {
    [`GET ${api}/{name=projects/*/locations/*/services/*}`]: (call) => find(google, pathOf(call, 'name')),
    [`GET ${api}/{name=projects/*/locations/*/services/*/revisions/*}`]: (call) =>
      find(google, pathOf(call, 'name')),
    ...iamMethods(google, `${api}/{resource=projects/*/locations/*/services/*}`),
  };
}
