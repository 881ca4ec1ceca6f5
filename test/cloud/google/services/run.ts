import { ApiError } from '../api-error.ts';
import { type Call, pathOf, type Service } from '../call.ts';
import { find, type Google } from '../google.ts';
import { iamMethods, projectOf } from '../iam-methods.ts';
import { isAllowed, readPolicy } from '../policies.ts';

const api = 'run.googleapis.com/v2';
const service = 'projects/*/locations/*/services/*';

/**
 * https://cloud.google.com/run/docs/reference/rest/v2/projects.locations.services: those that Cloud Functions
 * makes.
 */
export function run(google: Google): Service {
  const check = ({ caller: member }: Call, name: string, permission: string) => {
    const known = find(google, name);
    const resources = [name, projectOf(name)];
    if (isAllowed(google.policies, { member, permission, resources })) return known;
    throw new ApiError(
      'PERMISSION_DENIED',
      `Permission '${permission}' denied on resource '${name}' for ${member}.`,
    );
  };
  return {
    ...iamMethods(google, `${api}/{resource=${service}}`),
    // Cloud Functions has no setting for Identity-Aware Proxy.
    [`PATCH ${api}/{name=${service}}`]: (call) => {
      const name = pathOf(call, 'name');
      google.resources.set(name, { ...find(google, name), iapEnabled: call.body.iapEnabled });
      return { name: 'operations/finished', done: true };
    },
    [`GET ${api}/{name=${service}}`]: (call) => check(call, pathOf(call, 'name'), 'run.services.get'),
    [`GET ${api}/{resource=${service}}:getIamPolicy`]: (call) => {
      check(call, pathOf(call, 'resource'), 'run.services.getIamPolicy');
      return readPolicy(google.policies, pathOf(call, 'resource'));
    },
  };
}
