import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { checkSettings } from '../../../infra/check-settings.ts';
import type { SettingsInput } from '../../../infra/settings.ts';
import type { ConfigError } from '../../../shared/errors.ts';
import {
  all,
  at,
  exampleSettings,
  find,
  plainSettings,
  runDeployment,
} from '../../support/deployment-program.ts';

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

const topic = 'projects/acme-logistics/topics/returns-dead';
const ran = await withSources([{ name: 'returns', kind: 'topic', topic }]);

describe('a topic as a source', () => {
  it('is pushed to capture like the capture topic', () => {
    const [own, pushed] = ['dlo-capture-push', 'dlo-sources-returns'].map(
      (name) => find(ran, 'pubsub/subscription:Subscription', name).inputs,
    );
    assert.deepEqual(pushed, { ...own, name: 'dlo-sources-returns', topic });
    const agent = 'serviceAccount:service-of-acme-test@gcp-sa-pubsub.iam.gserviceaccount.com';
    const { inputs } = find(
      ran,
      'pubsub/subscriptionIAMMember:SubscriptionIAMMember',
      'dlo-sources-returns-gives-up',
    );
    assert.deepEqual(
      [inputs.subscription, inputs.role, inputs.member],
      ['dlo-sources-returns', 'roles/pubsub.subscriber', agent],
    );
  });

  it('needs no further step', () => {
    assert.deepEqual(at(ran.outputs, 'sources'), { returns: `Every new message of ${topic} is captured.` });
  });

  it('is watched by the alert on messages that capture does not take', () => {
    assert.match(JSON.stringify(all(ran, 'monitoring/alertPolicy:AlertPolicy')), /dlo-sources-returns/);
  });

  it('is neither a topic of the deployment nor that of another source', () => {
    const taken = [
      { name: 'a', kind: 'topic' as const, topic: 'projects/acme-test/topics/dlo-capture-dead-letters' },
      { name: 'b', kind: 'topic' as const, topic },
      { name: 'c', kind: 'topic' as const, topic },
    ];
    assert.throws(
      () => checkSettings({ ...plainSettings, sources: taken }),
      (error: ConfigError) =>
        isDeepStrictEqual(
          error.problems.map(({ field }) => field),
          ['sources[0].topic', 'sources[2].topic'],
        ),
    );
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
