import type { Service } from '../call.ts';
import type { Google } from '../google.ts';
import { iamMethods } from '../iam-methods.ts';

const services = 'iap.googleapis.com/v1/{resource=projects/*/iap_web/*/services/*}';

/** https://cloud.google.com/iap/docs/reference/rest: who passes the proxy of a service of Cloud Run. */
export function iap(google: Google): Service {
  return iamMethods(google, services, (resource) => resource.replace('iap_web/cloud_run-', 'locations/'));
}
