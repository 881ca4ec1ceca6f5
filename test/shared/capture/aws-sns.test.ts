import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSubscribeUrl } from '../../../shared/capture/transports/aws-sns.ts';

describe('an SNS subscription confirmation', () => {
  const find = (SubscribeURL: unknown) =>
    findSubscribeUrl({
      path: '/',
      query: new URLSearchParams(),
      headers: {},
      body: Buffer.from(JSON.stringify({ SubscribeURL })),
    });

  it('has a confirmation URL for operators', () => {
    const url =
      'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:x:1:t&Token=2f';
    assert.equal(find(url), url);
  });

  it('has no confirmation URL if the host is not of Amazon SNS', () => {
    const urls = [
      'https://sns.evil.example/',
      'https://sns.x.amazonaws.com.evil.example/',
      'http://sns.x.amazonaws.com/',
      5,
    ];
    assert.deepEqual(urls.map(find), [null, null, null, null]);
  });
});
