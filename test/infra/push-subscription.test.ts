import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, at, find, plainSettings, runOffice } from '../support/office-program.ts';
import { unknown } from '../support/pulumi-program.ts';

const office = await runOffice(plainSettings);
const preview = await runOffice(plainSettings, { isPreview: true });
const push = (ran: typeof office, name: string) => find(ran, 'pubsub/subscription:Subscription', name).inputs;
const pubsub = 'serviceAccount:service-of-acme-test@gcp-sa-pubsub.iam.gserviceaccount.com';

describe('a push subscription', () => {
  it('calls its function as somebody who may call it, with a token for just that', () => {
    const { uri, email } = {
      uri: 'https://dlo-capture-abc123-ew.a.run.app',
      email: 'dlo-capture-push@acme-test.iam.gserviceaccount.com',
    };
    assert.deepEqual(push(office, 'dlo-capture-push').pushConfig, {
      pushEndpoint: uri,
      oidcToken: { serviceAccountEmail: email, audience: uri },
    });
    const { inputs } = find(office, 'cloudrunv2/serviceIamMember:ServiceIamMember', 'dlo-capture-push-calls');
    assert.deepEqual(
      [inputs.name, inputs.role, inputs.member],
      ['dlo-capture', 'roles/run.invoker', `serviceAccount:${email}`],
    );
  });

  it('uses the address at which Pub/Sub counts as inside', () => {
    for (const name of ['dlo-capture-push', 'dlo-continue-push']) {
      assert.match(String(at(push(office, name), 'pushConfig', 'pushEndpoint')), /\.run\.app$/);
    }
  });

  it('never expires, and keeps what it cannot deliver for a month', () => {
    for (const { inputs } of all(office, 'pubsub/subscription:Subscription')) {
      assert.deepEqual(inputs.expirationPolicy, { ttl: '' });
      assert.equal(inputs.messageRetentionDuration, `${31 * 24 * 3600}s`);
    }
  });

  it('backs off, and gives up only after a hundred refusals', () => {
    const { retryPolicy, deadLetterPolicy } = push(office, 'dlo-capture-push');
    assert.deepEqual(retryPolicy, { minimumBackoff: '10s', maximumBackoff: '600s' });
    assert.deepEqual(deadLetterPolicy, {
      deadLetterTopic: 'projects/acme-test/topics/dlo-capture-last-resort',
      maxDeliveryAttempts: 100,
    });
  });

  it('gives up to a topic where a subscription was waiting before', () => {
    assert.equal(
      push(office, 'dlo-capture-last-resort-keeps').topic,
      'projects/acme-test/topics/dlo-capture-last-resort',
    );
    const { waitsFor } = find(office, 'pubsub/subscription:Subscription', 'dlo-capture-push');
    assert.ok(waitsFor.includes('dlo-capture-last-resort-keeps'));
  });

  it('lets Pub/Sub itself do what giving up and signing take, and no more', () => {
    const granted = office.resources
      .filter(({ inputs, parent }) => inputs.member === pubsub && parent === 'dlo-capture')
      .map(({ inputs }) => [inputs.role, inputs.topic ?? inputs.subscription ?? inputs.serviceAccountId]);
    assert.deepEqual(granted.sort(), [
      [
        'roles/iam.serviceAccountOpenIdTokenCreator',
        'projects/acme-test/serviceAccounts/dlo-capture-push@acme-test.iam.gserviceaccount.com',
      ],
      ['roles/pubsub.publisher', 'dlo-capture-last-resort'],
      ['roles/pubsub.subscriber', 'dlo-capture-push'],
    ]);
  });

  it('waits for a worker as long as Pub/Sub can', () => {
    assert.equal(push(office, 'dlo-continue-push').ackDeadlineSeconds, 600);
  });

  it('is previewed without an address that nobody knows yet', () => {
    assert.equal(at(push(preview, 'dlo-capture-push'), 'pushConfig', 'pushEndpoint'), unknown);
    assert.equal(push(preview, 'dlo-capture-push').name, 'dlo-capture-push');
  });
});
