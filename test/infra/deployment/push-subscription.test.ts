import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, at, deployed, find } from '../../support/deployment-program.ts';
import { unknown } from '../../support/pulumi-program.ts';

const deployment = await deployed('prod');
const preview = await deployed('prod', { isPreview: true });
const push = (ran: typeof deployment, name: string) =>
  find(ran, 'pubsub/subscription:Subscription', name).inputs;
const pubsub = 'serviceAccount:service-of-acme-prod@gcp-sa-pubsub.iam.gserviceaccount.com';

describe('a push subscription', () => {
  it('calls its function with a dedicated account and a token for that function', () => {
    const { uri, email } = {
      uri: 'https://dlo-capture-abc123-ew.a.run.app',
      email: 'dlo-capture-push@acme-prod.iam.gserviceaccount.com',
    };
    assert.deepEqual(push(deployment, 'dlo-capture-push').pushConfig, {
      pushEndpoint: uri,
      oidcToken: { serviceAccountEmail: email, audience: uri },
    });
    const { inputs } = find(
      deployment,
      'cloudrunv2/serviceIamMember:ServiceIamMember',
      'dlo-capture-push-calls',
    );
    assert.deepEqual(
      [inputs.name, inputs.role, inputs.member],
      ['dlo-capture', 'roles/run.invoker', `serviceAccount:${email}`],
    );
  });

  it('uses the run.app URL, where Pub/Sub counts as internal', () => {
    for (const name of ['dlo-capture-push', 'dlo-continue-push']) {
      assert.match(String(at(push(deployment, name), 'pushConfig', 'pushEndpoint')), /\.run\.app$/);
    }
  });

  it('never expires and keeps undelivered messages for 31 days', () => {
    for (const { inputs } of all(deployment, 'pubsub/subscription:Subscription')) {
      assert.deepEqual(inputs.expirationPolicy, { ttl: '' });
      assert.equal(inputs.messageRetentionDuration, `${31 * 24 * 3600}s`);
    }
  });

  it('backs off and dead-letters a message after 100 rejections', () => {
    const { retryPolicy, deadLetterPolicy } = push(deployment, 'dlo-capture-push');
    assert.deepEqual(retryPolicy, { minimumBackoff: '10s', maximumBackoff: '600s' });
    assert.deepEqual(deadLetterPolicy, {
      deadLetterTopic: 'projects/acme-prod/topics/dlo-capture-dead-letters',
      maxDeliveryAttempts: 100,
    });
  });

  it('dead-letters to a topic that already has a subscription', () => {
    assert.equal(
      push(deployment, 'dlo-capture-dead-letters-keeps').topic,
      'projects/acme-prod/topics/dlo-capture-dead-letters',
    );
    const { waitsFor } = find(deployment, 'pubsub/subscription:Subscription', 'dlo-capture-push');
    assert.ok(waitsFor.includes('dlo-capture-dead-letters-keeps'));
  });

  it('grants the Pub/Sub service agent dead-lettering and token signing only', () => {
    const granted = deployment.resources
      .filter(({ inputs, name }) => inputs.member === pubsub && name.startsWith('dlo-capture-'))
      .map(({ inputs }) => [inputs.role, inputs.topic ?? inputs.subscription ?? inputs.serviceAccountId]);
    assert.deepEqual(granted.sort(), [
      [
        'roles/iam.serviceAccountOpenIdTokenCreator',
        'projects/acme-prod/serviceAccounts/dlo-capture-push@acme-prod.iam.gserviceaccount.com',
      ],
      ['roles/pubsub.publisher', 'dlo-capture-dead-letters'],
      ['roles/pubsub.subscriber', 'dlo-capture-push'],
    ]);
  });

  it('waits for a worker as long as Pub/Sub allows', () => {
    assert.equal(push(deployment, 'dlo-continue-push').ackDeadlineSeconds, 600);
  });

  it('can be previewed before the URL of its function is known', () => {
    assert.equal(at(push(preview, 'dlo-capture-push'), 'pushConfig', 'pushEndpoint'), unknown);
    assert.equal(push(preview, 'dlo-capture-push').name, 'dlo-capture-push');
  });
});
