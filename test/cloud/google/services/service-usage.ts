import { type Call, pathOf, type Service } from '../call.ts';
import { find, type Google, numberOf } from '../google.ts';

const parent = 'serviceusage.googleapis.com/{version=v1|v1beta1}/{project=projects/*}';

/** https://cloud.google.com/service-usage/docs/reference/rest */
export function serviceUsage(google: Google): Service {
  const enabledIn = (project: string) => {
    const found = find(google, project);
    found.services ??= [];
    return found.services as string[];
  };
  const enable = (call: Call, services: readonly string[]) => {
    const enabled = enabledIn(pathOf(call, 'project'));
    for (const service of services) if (!enabled.includes(service)) enabled.push(service);
    return { name: 'operations/noop.DONE_OPERATION', done: true, response: {} };
  };
  const describe = (project: string, service: string) => ({
    name: `projects/${numberOf(project.slice('projects/'.length))}/services/${service}`,
    config: { name: service },
    state: enabledIn(project).includes(service) ? 'ENABLED' : 'DISABLED',
  });
  return {
    [`POST ${parent}/services:batchEnable`]: (call) => enable(call, call.body.serviceIds as string[]),
    // Of one service, no batch is made.
    [`POST ${parent}/services/{service}:enable`]: (call) => enable(call, [pathOf(call, 'service')]),
    [`GET ${parent}/services`]: (call) => {
      const project = pathOf(call, 'project');
      return { services: enabledIn(project).map((service) => describe(project, service)) };
    },
    [`GET ${parent}/services/{service}`]: (call) =>
      describe(pathOf(call, 'project'), pathOf(call, 'service')),
    [`POST ${parent}/services/{service}:generateServiceIdentity`]: (call) => {
      const number = numberOf(pathOf(call, 'project').slice('projects/'.length));
      const agent = pathOf(call, 'service').split('.')[0];
      const email = `service-${number}@gcp-sa-${agent}.iam.gserviceaccount.com`;
      const isWithheld = google.withheldIdentities > 0;
      if (isWithheld) google.withheldIdentities -= 1;
      const response = isWithheld ? {} : { email, uniqueId: number };
      return { name: 'operations/finished', done: true, response };
    },
  };
}
