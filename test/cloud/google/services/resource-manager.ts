import { pathOf, type Service } from '../call.ts';
import { find, type Google, insert, numberOf } from '../google.ts';
import { iamMethods } from '../iam-methods.ts';
import { writePolicy } from '../policies.ts';

const api = 'cloudresourcemanager.googleapis.com/v1';

/** https://cloud.google.com/resource-manager/reference/rest/v1/projects */
export function resourceManager(google: Google): Service {
  const policies = Object.entries(iamMethods(google, `${api}/projects/{resource}`));
  // Here alone the variable is the id, not the full name.
  const byId = policies.map(([key, method]): [string, Service[string]] => [
    key,
    (call) => method({ ...call, path: { resource: `projects/${pathOf(call, 'resource')}` } }),
  ]);
  return {
    [`GET ${api}/{name=projects/*}`]: (call) => find(google, pathOf(call, 'name')),
    ...Object.fromEntries(byId),
  };
}

/** Creates a project with an owner. */
export function addProject(google: Google, id: string, owner: string): void {
  const project = { projectId: id, projectNumber: numberOf(id), name: id, lifecycleState: 'ACTIVE' };
  insert(google, `projects/${id}`, project);
  // Long ago, so that it is applied.
  writePolicy(
    google.policies,
    `projects/${id}`,
    { bindings: [{ role: 'roles/owner', members: [owner] }] },
    0,
  );
}
