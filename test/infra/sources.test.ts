import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SettingsInput } from '../../infra/settings.ts';
import { all, at, exampleSettings, plainSettings, runDeployment } from '../support/deployment-program.ts';

const deployment = await runDeployment(exampleSettings('prod'));
const steps = at(deployment.outputs, 'sources') as Record<string, string>;
const withSources = (sources: SettingsInput['sources']) => runDeployment({ ...plainSettings, sources });
const grants = (ran: typeof deployment, type: string) =>
  all(ran, type)
    .filter(({ name }) => name.startsWith('dlo-sources-'))
    .map(({ inputs }) => [inputs.role, inputs.member]);

describe('a subscription as a source', () => {
  it('gets the command that sends its dead letters to capture', () => {
    assert.equal(
      steps.shipping,
      'gcloud pubsub subscriptions update orders-shipping --project=acme-logistics ' +
        '--dead-letter-topic=projects/acme-prod/topics/dlo-capture --max-delivery-attempts=20',
    );
  });

  it('allows the Pub/Sub service agent of its project to move its dead letters', async () => {
    const ran = await withSources([
      { name: 'orders', kind: 'subscription', subscription: 'projects/acme-logistics/subscriptions/orders' },
    ]);
    const agent = 'serviceAccount:service-of-acme-logistics@gcp-sa-pubsub.iam.gserviceaccount.com';
    assert.deepEqual(grants(ran, 'pubsub/topicIAMMember:TopicIAMMember'), [
      ['roles/pubsub.publisher', agent],
    ]);
    const [taken] = all(ran, 'pubsub/subscriptionIAMMember:SubscriptionIAMMember').filter(
      ({ inputs }) => inputs.project === 'acme-logistics',
    );
    assert.deepEqual(
      [taken?.inputs.subscription, taken?.inputs.role, taken?.inputs.member],
      ['orders', 'roles/pubsub.subscriber', agent],
    );
  });

  it('shares one grant with other sources of its project, so that removing one keeps the grant', async () => {
    const ran = await withSources(
      ['orders', 'returns'].map((name) => ({
        name,
        kind: 'subscription' as const,
        subscription: `projects/acme-logistics/subscriptions/${name}`,
      })),
    );
    assert.equal(grants(ran, 'pubsub/topicIAMMember:TopicIAMMember').length, 1);
  });
});

describe('a publisher as a source', () => {
  it('may publish to the capture topic, and gets its name in the form of Kafka Connect', () => {
    assert.equal(
      steps['kafka-connect'],
      'Publish failures to projects/acme-prod/topics/dlo-capture; ' +
        'in Kafka Connect: cps.project=acme-prod cps.topic=dlo-capture',
    );
    const member = 'serviceAccount:kafka-connect@acme-prod.iam.gserviceaccount.com';
    assert.deepEqual(
      grants(deployment, 'pubsub/topicIAMMember:TopicIAMMember').filter(([, each]) => each === member),
      [['roles/pubsub.publisher', member]],
    );
  });
});

describe('a caller as a source', () => {
  it('may call capture, and gets its URL', () => {
    const url = 'https://dlo-capture-abc123-ew.a.run.app';
    assert.equal(steps.payments, `POST failures to ${url}, with an identity token for this URL.`);
    assert.deepEqual(grants(deployment, 'cloudrunv2/serviceIamMember:ServiceIamMember'), [
      ['roles/run.invoker', 'serviceAccount:payments@acme-prod.iam.gserviceaccount.com'],
    ]);
  });
});
