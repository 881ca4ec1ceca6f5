import { type Google, insert } from './google/google.ts';
import { addProject } from './google/services/resource-manager.ts';

/** Creates what Pulumi.prod.yaml expects in its own project and in another one: subscriptions and a topic. */
export function addForeignResources(google: Google, deployer: string): void {
  addProject(google, 'acme-logistics', deployer);
  for (const name of [
    'projects/acme-prod/subscriptions/orders-billing',
    'projects/acme-logistics/subscriptions/orders-shipping',
    'projects/acme-logistics/topics/shipments-retry',
  ]) {
    insert(google, name, { name });
  }
}
