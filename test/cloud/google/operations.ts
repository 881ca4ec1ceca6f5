import { pathOf, type Service } from './call.ts';
import { find, type Google, insert } from './google.ts';
import type { Json } from './json.ts';

/**
 * Returns an operation that is done: https://google.aip.dev/151. `parent` is
 * `projects/acme/locations/europe-west1`.
 */
export function finish(
  google: Google,
  parent: string,
  outcome: { response: object } | { error: object },
): Json {
  const name = `${parent}/operations/operation-${google.resources.size}-${Date.now().toString(36)}`;
  return insert(google, name, { name, done: true, metadata: {}, ...outcome });
}

/** Returns the method that reads an operation. */
export function operationMethods(google: Google, api: string): Service {
  return {
    [`GET ${api}/{name=projects/*/locations/*/operations/*}`]: (call) => find(google, pathOf(call, 'name')),
  };
}
