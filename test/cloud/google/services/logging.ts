import { pathOf, type Service } from '../call.ts';
import { find, type Google, insert, remove } from '../google.ts';
import type { Json } from '../json.ts';

const parent = 'logging.googleapis.com/v2/{project=projects/*}';
const metric = `${parent}/metrics/{metric}`;

/** https://cloud.google.com/logging/docs/reference/v2/rest/v2/projects.metrics */
export function logging(google: Google): Service {
  // A metric is named by its id alone, and the id may contain a slash.
  const keyOf = (project: string, id: string) => `${project}/metrics/${encodeURIComponent(id)}`;
  return {
    [`POST ${parent}/metrics`]: (call) => {
      const project = pathOf(call, 'project');
      return insert(google, keyOf(project, String(call.body.name)), complete(project, call.body));
    },
    [`GET ${metric}`]: (call) => find(google, keyOf(pathOf(call, 'project'), pathOf(call, 'metric'))),
    [`PUT ${metric}`]: (call) => {
      const project = pathOf(call, 'project');
      const key = keyOf(project, pathOf(call, 'metric'));
      find(google, key);
      google.resources.set(key, complete(project, call.body));
      return find(google, key);
    },
    [`DELETE ${metric}`]: (call) => {
      remove(google, keyOf(pathOf(call, 'project'), pathOf(call, 'metric')));
      return {};
    },
  };
}

function complete(project: string, given: Json): Json {
  const type = `logging.googleapis.com/user/${given.name}`;
  const name = `${project}/metricDescriptors/${type}`;
  return { ...given, metricDescriptor: { ...(given.metricDescriptor as Json), name, type } };
}
