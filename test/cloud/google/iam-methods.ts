import { type Call, pathOf, type Service } from './call.ts';
import { find, type Google } from './google.ts';
import type { Json } from './json.ts';
import { isAllowed, readPolicy, writePolicy } from './policies.ts';

/**
 * Returns getIamPolicy, setIamPolicy and testIamPermissions for the resources of a pattern such as
 * `pubsub.googleapis.com/v1/{resource=projects/PROJECT/topics/TOPIC}`, with stars for what varies. Newer APIs
 * read a policy by GET, older ones by POST: both are answered. `guarded` returns the name of what has to exist.
 */
export function iamMethods(
  google: Google,
  resources: string,
  guarded = (resource: string) => resource,
): Service {
  const exists = (call: Call) => {
    const name = pathOf(call, 'resource');
    find(google, guarded(name));
    return name;
  };
  const read = (call: Call) => readPolicy(google.policies, exists(call));
  const test = (call: Call) => {
    const asked = (call.body.permissions ?? []) as string[];
    const resource = exists(call);
    const above = [resource, projectOf(resource)];
    const isGranted = (permission: string) =>
      isAllowed(google.policies, { member: call.caller, permission, resources: above });
    return { permissions: asked.filter(isGranted) };
  };
  return {
    [`GET ${resources}:getIamPolicy`]: read,
    [`POST ${resources}:getIamPolicy`]: read,
    [`POST ${resources}:setIamPolicy`]: (call) =>
      writePolicy(google.policies, exists(call), call.body.policy as Json),
    [`POST ${resources}:testIamPermissions`]: test,
  };
}

/** `projects/acme` */
export function projectOf(resource: string): string {
  return resource.split('/').slice(0, 2).join('/');
}
