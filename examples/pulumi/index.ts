import { DeadLetterOffice } from '@dead-letter-office/pulumi';
import * as pulumi from '@pulumi/pulumi';

const project = new pulumi.Config('gcp').require('project');
const config = new pulumi.Config();

const deadLetters = new DeadLetterOffice('dead-letters', {
  project,
  deployer: config.require('deployer'),
  operators: ['user:ana@acme.example'],
  alertEmail: 'oncall@acme.example',
  sources: [
    { name: 'orders', kind: 'subscription', subscription: `projects/${project}/subscriptions/orders` },
  ],
  routes: [
    {
      match: { eventType: 'order.*' },
      target: { kind: 'http', url: 'https://billing.acme.example/orders' },
      policy: { maxRetries: 100 },
    },
  ],
});

export const { urls, captureTopic, deliveryIdentity, sources, next } = deadLetters;
