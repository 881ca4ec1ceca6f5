import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSubscribeUrl } from '../../../functions/capture/carriers/aws-sns.ts';

describe('a request of SNS to confirm a subscription', () => {
  const find = (SubscribeURL: unknown) =>
    findSubscribeUrl({
      path: '/',
      query: new URLSearchParams(),
      headers: {},
      body: Buffer.from(JSON.stringify({ SubscribeURL })),
    });

  it('names the URL that lets SNS begin', () => {
    const url =
      'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:x:1:t&Token=2f';
    assert.equal(find(url), url);
  });

  it('has nobody open the URL of somebody else', () => {
    const urls = [
      'https://sns.evil.example/',
      'https://sns.x.amazonaws.com.evil.example/',
      'http://sns.x.amazonaws.com/',
      5,
    ];
    assert.deepEqual(urls.map(find), [null, null, null, null]);
  });
});
