import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Sent, useCases } from '../../support/cases.ts';

describe('a webhook', () => {
  const cases = useCases();

  const shopify = (topic: string, id: string): Sent => ({
    headers: { 'x-shopify-topic': topic, 'x-shopify-webhook-id': id, 'x-shopify-hmac-sha256': 'c2ln' },
    body: '{"id":900000000000000123}',
  });

  it('of Shopify is an event of its own for each webhook id, with equal bodies', async () => {
    const rows = await cases.rows(
      shopify('products/delete', '11-40'),
      shopify('collections/delete', '11-41'),
      shopify('collections/delete', '11-41'),
    );
    assert.deepEqual(
      rows.map(({ event_type, event_id, conflicts_with }) => [event_type, event_id, conflicts_with]),
      [
        ['products/delete', '11-40', null],
        ['collections/delete', '11-41', null],
      ],
    );
  });

  it('of GitLab is sent with all headers but its token, whose name is kept', async () => {
    const headers = {
      'x-gitlab-event': 'Push Hook',
      'x-gitlab-event-uuid': 'b-1',
      'x-gitlab-webhook-uuid': 'a-1',
      'x-gitlab-instance': 'https://gitlab.example.com',
    };
    const request = { headers: { ...headers, 'x-gitlab-token': 'sekret' }, body: '{"project_id":15}' };
    const [sent] = await cases.redeliver([request]);
    const [row] = await cases.rows();
    assert.deepEqual(sent?.headers, { ...headers, 'content-type': 'application/json' });
    assert.deepEqual([row?.headers, row?.metadata], [headers, { withheld: ['x-gitlab-token'] }]);
  });

  it('of Cloud Scheduler is an event for each time of its job', async () => {
    const run = (time: string): Sent => ({
      headers: { 'x-cloudscheduler-jobname': 'invoice-run', 'x-cloudscheduler-scheduletime': time },
      body: '{"run":"invoices"}',
    });
    const rows = await cases.rows(run('2026-11-25T10:00:00Z'), run('2026-11-25T10:01:00Z'));
    assert.deepEqual(
      rows.map(({ event_type }) => event_type),
      ['invoice-run', 'invoice-run'],
    );
  });

  for (const [name, headers] of Object.entries<Record<string, string>>({
    Twilio: { 'i-twilio-idempotency-token': 'a7c1', 'x-twilio-signature': 'c2ln' },
    Vercel: { 'x-vercel-signature': 'c5b2a6d8', 'x-vercel-id': 'fra1::abc' },
    'Azure DevOps and others': {
      'x-ms-notification-type': 'Test',
      'x-amz-meta-team': 'a',
      'x-access-level': '3',
      'cf-event': 'x',
    },
    'Google Drive': {
      'x-goog-channel-id': 'c1',
      'x-goog-message-number': '42',
      'x-goog-resource-state': 'update',
      'x-goog-changed': 'content,properties',
      'x-goog-channel-token': 'tenant=7',
    },
    'a sender that signs its messages': {
      digest: 'SHA-256=ZGln',
      signature: 'keyId="https://a.example/u#k",signature="abc=="',
      'signature-input': 'sig1=("@method" "content-digest");created=1800000002',
      'content-digest': 'sha-256=:ZGln:',
      date: 'Wed, 25 Nov 2026 10:00:00 GMT',
      link: '<a>; rel=b',
    },
  })) {
    it(`of ${name} is sent with the headers that its consumer reads`, async () => {
      const [sent] = await cases.redeliver([{ headers, body: '{"kind":"changes"}' }]);
      assert.deepEqual(sent?.headers, { ...headers, 'content-type': 'application/json' });
    });
  }

  it('of Google Drive is known by its channel and number', async () => {
    const headers = {
      'x-goog-channel-id': 'c1',
      'x-goog-message-number': '42',
      'x-goog-resource-state': 'update',
    };
    const [row] = await cases.rows({ headers, body: '{"kind":"drive#changes"}' });
    assert.deepEqual([row?.event_id, row?.event_type], ['c1/42', 'update']);
  });

  it('of SendGrid is the request as it came, with its signature', async () => {
    const headers = {
      'x-twilio-email-event-webhook-signature': 'c2lnbmF0dXJl',
      'x-twilio-email-event-webhook-timestamp': '1800000000',
    };
    const body = '[{"event":"dropped","sg_event_id":"e1"},\r\n{"event":"open","sg_event_id":"e2"}]\r\n';
    const sent = await cases.redeliver([{ headers, body }]);
    assert.deepEqual(
      sent.map((each) => [each.body.toString(), each.headers]),
      [[body, { ...headers, 'content-type': 'application/json' }]],
    );
  });

  for (const [form, type] of [
    ['payload=%7B%22action%22%3A%22opened%22%7D', 'issues.opened'],
    ['a=1&payload=%7B%22action%22%3A+%22closed%22%7D&b=2', 'issues.closed'],
    ['xpayload=%7B%22action%22%3A%22opened%22%7D', 'issues'],
  ] as const) {
    it(`of GitHub is read in a form: ${form}`, async () => {
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'x-github-event': 'issues',
        'x-github-delivery': 'form-1',
        'x-hub-signature-256': 'sha256=00',
      };
      const [sent] = await cases.redeliver([{ headers, body: form }]);
      const [row] = await cases.rows();
      assert.deepEqual([row?.event_type, row?.event_id], [type, 'form-1']);
      assert.deepEqual([sent?.body.toString(), sent?.headers], [form, headers]);
    });
  }

  it('keeps its query, without credentials, and is another event with another one', async () => {
    const post = (query: string): Sent => ({
      path: `/?${query}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'Status=failed',
    });
    const rows = await cases.rows(post('account=7&event=delivered'), post('account=8'), post('api_key=7'));
    assert.deepEqual(
      rows.map(({ metadata }) => metadata),
      [{ query: 'account=7&event=delivered' }, { query: 'account=8' }, { query: 'api_key=withheld' }],
    );
  });

  for (const method of ['GET', 'PUT', 'PATCH']) {
    it(`by ${method} is refused, with the method to use`, async () => {
      const answer = await cases.send({ method, body: '{"put":1}' });
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST']);
      assert.match(await answer.text(), /Use POST\./);
    });
  }

  it('names its ids in their order if its headers are repeated', async () => {
    const headers = { 'x-github-event': 'push', 'x-github-delivery': 'd1, d2' };
    const [row] = await cases.rows({ headers, body: '{"dup":1}' });
    assert.equal(row?.event_id, 'd1, d2');
  });
});

describe('a message', () => {
  const cases = useCases();

  for (const [name, body, reason] of [
    [
      'a declined payment',
      '{"eventType":"payment.failed","amount":42.50,"error":{"code":"c","message":"Your card was declined"}}',
      'Your card was declined',
    ],
    ['an error workflow of n8n', '{"execution":{"id":"231","error":{"message":"closed"}}}', 'not reported'],
    [
      'a failed prediction',
      '{"id":"p-1","input":{"text":"A"},"error":"out of memory","logs":null}',
      'out of memory',
    ],
    [
      'a job without output',
      '{"request_id":"r-2","error":"model is offline","payload":null}',
      'model is offline',
    ],
    [
      'a discarded row of GoodJob',
      '{"id":"b7a1","error":"PaymentDown: 503","error_event":"discarded"}',
      'PaymentDown: 503',
    ],
    [
      'a live job of Sidekiq',
      '{"class":"ChargeJob","args":[4711],"jid":"b4a5","queue":"default"}',
      'not reported',
    ],
    [
      'a live job of BullMQ',
      '{"name":"charge","data":{"orderId":1},"opts":{"attempts":3},"id":"12"}',
      'not reported',
    ],
  ] as const) {
    it(`that is ${name} is kept whole, with its reason`, async () => {
      const [sent] = await cases.redeliver([{ body }]);
      const [row] = await cases.rows();
      assert.deepEqual([sent?.body.toString(), row?.error_reason], [body, reason]);
    });
  }

  it('of another request is another event', async () => {
    const failed = (id: string) => ({ body: { request_id: id, error: 'model is offline', payload: null } });
    assert.equal((await cases.rows(failed('r-2'), failed('r-3'))).length, 2);
  });

  it('in an array is an event with all that it says', async () => {
    const rows = [
      '{"eventType":"import.row","row":1,"error":{"message":"bad date"}}',
      '{"row":2.50,"error":"x"}',
    ];
    const sent = await cases.redeliver([{ body: `[${rows.join()}]` }]);
    assert.deepEqual(
      sent.map(({ body }) => body.toString()),
      rows,
    );
  });

  for (const type of ['application/x-ndjson', 'application/json']) {
    it(`of Elasticsearch's bulk API is all its lines, as ${type}`, async () => {
      const body = '{"index":{"_index":"orders","_id":"1"}}\n{"orderId":1}\n{"delete":{"_id":"2"}}\n';
      const sent = await cases.redeliver([{ headers: { 'content-type': type }, body }]);
      assert.deepEqual(
        sent.map((each) => each.body.toString()),
        [body],
      );
    });
  }

  it('on lines that only look like actions is an event for each line', async () => {
    const body = '{"create":{"order":1}}\n{"delete":{"order":2}}\n';
    assert.equal((await cases.rows({ headers: { 'content-type': 'application/x-ndjson' }, body })).length, 2);
  });

  for (const [path, topic, key] of [
    ['/orders%2Feu/key%20one', 'orders/eu', 'key one'],
    ['/orders/../admin', 'admin', null],
    ['//orders//k', 'orders', '/k'],
    ['/capture//orders/k', 'orders', 'k'],
    ['/Gr%C3%B6%C3%9Fe/%E2%82%AC', 'Größe', '€'],
    ['/bad%ffutf8/k', 'bad%ffutf8', 'k'],
  ] as const) {
    it(`has its topic and key from the path ${path}`, async () => {
      const [row] = await cases.rows({ path, body: '{"p":1}' });
      assert.deepEqual([row?.source_topic, row?.source_key], [topic, key]);
    });
  }
});
