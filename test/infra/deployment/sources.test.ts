import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { checkSettings } from '../../../infra/check-settings.ts';
import type { ConfigError } from '../../../shared/errors.ts';
import { all, at, deployed, find, plainSettings, runDeployment } from '../../support/deployment-program.ts';

const deployment = await deployed('full');
const steps = at(deployment.outputs, 'sources') as Record<string, string>;
const grants = (type: string) =>
  all(deployment, type)
    .filter(({ name }) => name.startsWith('dlo-sources-'))
    .map(({ inputs }) => [inputs.role, inputs.member]);
const agent = 'serviceAccount:service-of-acme-logistics@gcp-sa-pubsub.iam.gserviceaccount.com';

describe('a subscription as a source', () => {
  it('gets the command that sends its dead letters to capture', () => {
    assert.equal(
      steps.shipping,
      'gcloud pubsub subscriptions update orders-shipping --project=acme-logistics ' +
        '--dead-letter-topic=projects/acme-prod/topics/dlo-capture --max-delivery-attempts=20',
    );
  });

  it('allows the Pub/Sub service agent of its project to move its dead letters', () => {
    const taken = all(deployment, 'pubsub/subscriptionIAMMember:SubscriptionIAMMember').filter(
      ({ inputs }) => inputs.project === 'acme-logistics',
    );
    assert.deepEqual(
      taken.map(({ inputs }) => [inputs.subscription, inputs.role, inputs.member]),
      [
        ['returns', 'roles/pubsub.subscriber', agent],
        ['orders-shipping', 'roles/pubsub.subscriber', agent],
      ],
    );
  });

  it('shares one grant with other sources of its project, so that removing one keeps the grant', () => {
    const publishers = grants('pubsub/topicIAMMember:TopicIAMMember').filter(
      ([, member]) => member === agent,
    );
    assert.deepEqual(publishers, [['roles/pubsub.publisher', agent]]);
  });
});

const topic = 'projects/acme-logistics/topics/refunds-dead';

describe('a topic as a source', () => {
  it('is pushed to capture like the capture topic', () => {
    const [own, pushed] = ['dlo-capture-push', 'dlo-sources-refunds'].map(
      (name) => find(deployment, 'pubsub/subscription:Subscription', name).inputs,
    );
    assert.deepEqual(pushed, { ...own, name: 'dlo-sources-refunds', topic });
    const { inputs } = find(
      deployment,
      'pubsub/subscriptionIAMMember:SubscriptionIAMMember',
      'dlo-sources-refunds-gives-up',
    );
    const ownAgent = 'serviceAccount:service-of-acme-prod@gcp-sa-pubsub.iam.gserviceaccount.com';
    assert.deepEqual(
      [inputs.subscription, inputs.role, inputs.member],
      ['dlo-sources-refunds', 'roles/pubsub.subscriber', ownAgent],
    );
  });

  it('needs no further step', () => {
    assert.equal(steps.refunds, `Every new message of ${topic} is captured.`);
  });

  it('is watched by the alert on messages that capture does not take', () => {
    const alerts = all(deployment, 'monitoring/alertPolicy:AlertPolicy');
    assert.match(JSON.stringify(alerts), /dlo-sources-refunds/);
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

describe('the subscription of a source', () => {
  it('is neither one of the deployment nor that of another source', () => {
    const of = (name: string, subscription: string) =>
      ({
        name,
        kind: 'subscription',
        subscription: `projects/acme-test/subscriptions/${subscription}`,
      }) as const;
    const sources = [
      of('a', 'dlo-capture-push'),
      of('b', 'dlo-continue-dead-letters'),
      of('c', 'orders'),
      of('d', 'orders'),
      of('e', 'dlo-sources-f'),
      { name: 'f', kind: 'topic' as const, topic },
    ];
    assert.throws(
      () => checkSettings({ ...plainSettings, sources }),
      ({ problems }: ConfigError) =>
        isDeepStrictEqual(
          problems.map(({ field }) => field),
          [0, 1, 3, 4].map((i) => `sources[${i}].subscription`),
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
      grants('pubsub/topicIAMMember:TopicIAMMember').filter(([, each]) => each === member),
      [['roles/pubsub.publisher', member]],
    );
  });
});

describe('a caller as a source', () => {
  it('may call capture, and gets the address by which its messages are read as it says', () => {
    const url = 'https://dlo-capture-abc123-ew.a.run.app';
    assert.equal(steps.payments, `POST failures to ${url}/payments, with an identity token for ${url}.`);
    assert.deepEqual(grants('cloudrunv2/serviceIamMember:ServiceIamMember'), [
      ['roles/run.invoker', 'serviceAccount:payments@acme-prod.iam.gserviceaccount.com'],
    ]);
  });

  it('signs in place of a member, at the function that is open to it', async () => {
    const secret = 'a secret of the shop';
    const shop = { name: 'shop', kind: 'caller' as const, reads: { secret } };
    const sources = [shop, { ...shop, name: 'till', member: 'user:ana@acme.example' }];
    const settings = { ...plainSettings, captureSecrets: 'a secret of others', sources };
    const { outputs } = await runDeployment(settings);
    const url = 'https://dlo-capture-abc123-ew.a.run.app';
    assert.deepEqual(at(outputs, 'sources'), {
      shop: 'POST failures to https://dlo-signed-capture-abc123-ew.a.run.app/shop, signed by its secret.',
      till: `POST failures to ${url}/till, with an identity token for ${url}, signed by its secret.`,
    });
    for (const [field, wrong] of Object.entries({
      'sources[0].member': { ...settings, captureSecrets: '' },
      'sources[2].member': { ...settings, sources: [...sources, { name: 'other', kind: 'caller' as const }] },
    })) {
      assert.throws(
        () => checkSettings(wrong),
        ({ problems }: ConfigError) =>
          isDeepStrictEqual(
            problems.map((each) => each.field),
            [field],
          ),
      );
    }
  });
});
