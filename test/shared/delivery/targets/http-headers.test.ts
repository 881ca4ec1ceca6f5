import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LeasedEvent } from '../../../../shared/delivery/leased-event.ts';
import { restoreHeaders } from '../../../../shared/delivery/targets/http-headers.ts';
import { anHttpDelivery, valuesOf } from '../../../support/http-delivery.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { aLeasedEvent } from '../../../support/leased-event.ts';
import { send } from '../../../support/send.ts';

const withheldNames =
  `connection keep-alive te trailer transfer-encoding upgrade host content-length expect authorization
  cookie forwarded proxy-authorization x-forwarded-for x-forwarded-host x-goog-iap-jwt-assertion
  x-goog-authenticated-user-email x-serverless-authorization dlo-event-id dlo-attempt
  x-real-ip x_real_ip X.Real.IP true-client-ip x-client-ip client-ip x-cluster-client-ip x-originating-ip
  x-original-url x-rewrite-url x-original-host x-original-forwarded-for x-http-method-override x-method-override
  x-http-method x-host x-forwarded x-forwarded-user x_forwarded_for x-scheme front-end-https
  x-appengine-cron x-appengine-user-email x-cloudscheduler x-cloudscheduler-jobname x-cloudtasks-taskname
  x-google-apps-metadata x-cloud-trace-context function-execution-id
  x-envoy-internal x-envoy-original-path x-envoy-decorator-operation l5d-client-id
  x-api-key x_api_key api-key apikey private-token x-auth-request-email x-auth-token x-csrf-token
  x-remote-user remote-user remote_addr ssl-client-verify x-ssl-client-cert x-webauth-user impersonate-user
  x-endpoint-api-userinfo x-apigateway-api-userinfo x-amzn-oidc-identity x-amz-security-token
  x-ms-client-principal x-functions-key ocp-apim-subscription-key cf-connecting-ip fastly-client-ip fly-client-ip
  x-consumer-username x-credential-identifier x-anonymous-consumer x-hasura-admin-secret x-scope-orgid
  accept-encoding http2-settings alt-used early-data via max-forwards if-match if-none-match
  origin referer sec-fetch-site sec-websocket-key access-control-request-method x-requested-with
  x-middleware-subrequest x-invoke-path x-matched-path x-accel-redirect x-sendfile`.split(/\s+/);

const ordinaryNames =
  `tenant x-tenant-id x-request-id x-correlation-id correlation_id event-type event_id source priority client
  content-language content-encoding accept-language user-agent user_id x-user-id x-consumer-group
  x-original-partition x-b3-traceid b3 baggage tracestate x-retries expires host-name hostname region
  via-channel origin-country referer-id cookie-consent authorization-status range-id range ip customer-ip x-order-id
  idempotency-key googclient_schemaencoding kafka_messageKey __TypeId__ x-amazing x-hub-signature-256 api-version cfg`.split(
    /\s+/,
  );

describe('the headers of an event', () => {
  const target = useHttpTarget();
  const arrive = async (headers: LeasedEvent['headers']) => {
    const outcome = await send(anHttpDelivery(target().url, { event: { headers } }));
    assert.equal(outcome.kind, 'delivered', outcome.error);
    return target().received.at(-1)?.rawHeaders ?? [];
  };

  it('keep the case of their names', async () => {
    const arrived = await arrive({ 'X-Tenant': 'acme', traceparent: '00-1-2-03' });

    assert.ok(arrived.includes('X-Tenant') && arrived.includes('traceparent'));
    assert.deepEqual(
      [...valuesOf(arrived, 'x-tenant'), ...valuesOf(arrived, 'traceparent')],
      ['acme', '00-1-2-03'],
    );
  });

  it('keep repeats in their order', async () => {
    const arrived = await arrive({ 'X-Hop': ['b', 'a', 'b'] });

    assert.deepEqual(valuesOf(arrived, 'x-hop'), ['b', 'a', 'b']);
  });

  it('are sent as UTF-8, and as base64 if they were not text', async () => {
    const [city, trace] = await arrive({ city: 'Zürich €', trace: { base64: '/wA=' } }).then((arrived) =>
      ['city', 'trace'].map((name) => valuesOf(arrived, name)[0] ?? ''),
    );

    assert.equal(Buffer.from(city ?? '', 'latin1').toString(), 'Zürich €');
    assert.equal(trace, '/wA=');
  });

  it('are sent as the bytes that they were, if HTTP can carry these', async () => {
    const arrived = await arrive({ city: { base64: Buffer.from('Zürich', 'latin1').toString('base64') } });

    assert.deepEqual(valuesOf(arrived, 'city'), ['Zürich']);
  });

  it('are sent as JSON if an INSERT stored other values', async () => {
    const headers = {
      n: 7,
      yes: [true, 'x'],
      none: null,
      list: { a: 1 },
    } as unknown as LeasedEvent['headers'];
    const arrived = await arrive(headers);

    assert.deepEqual(
      ['n', 'yes', 'none', 'list'].map((name) => valuesOf(arrived, name)),
      [['7'], ['true', 'x'], ['null'], ['{"a":1}']],
    );
  });

  it('cannot inject another header', async () => {
    const arrived = await arrive({ note: 'a\r\nauthorization: Bearer stolen\0' });

    assert.deepEqual(valuesOf(arrived, 'note'), ['a%0D%0Aauthorization: Bearer stolen%00']);
    assert.deepEqual(valuesOf(arrived, 'authorization'), []);
  });

  it('are omitted if their name is invalid in HTTP', async () => {
    const arrived = await arrive({ 'my header': 'x', größe: 'x', '': 'x', 'a:b': 'x', fine: 'x' });

    assert.deepEqual(
      arrived.filter((_, i) => arrived[i + 1] === 'x'),
      ['fine'],
    );
  });

  it('are omitted if they belong to the connection or to an identity', () => {
    const names = withheldNames.flatMap((name) => [name, name.toUpperCase()]);
    const headers = Object.fromEntries(names.map((name) => [name, 'evil']));

    assert.deepEqual(restoreHeaders(aLeasedEvent({ payloadEncoding: 'text', headers })), []);
  });
});

describe('the headers about a failure', () => {
  it('are omitted, by the names of every broker, bridge and framework', () => {
    const headers = Object.fromEntries(
      `__connect.errors.exception.stacktrace kafka_dlt-exception-message kafka_exception-fqcn retry_topic-attempts
      __streams.errors.exception __dlq.errors.group dead-letter-reason delayed-retry-count x-death
      x-first-death-queue x-last-death-reason x-delivery-count cloudpubsubdeadlettersourcesubscription
      x-original-exchange x-original-routingkey x-exception-message ce-knativeerrordata kafka.topic kafka.offset tenant`
        .split(/\s+/)
        .map((name) => [name, 'x']),
    );

    const restored = restoreHeaders(aLeasedEvent({ payloadEncoding: 'text', headers }));
    assert.deepEqual(restored, [['tenant', 'x']]);
  });

  it('include the error that a template of Dataflow wrote, and no header of that name by others', () => {
    const namesOf = (sourceKind: string) =>
      restoreHeaders(aLeasedEvent({ payloadEncoding: 'text', sourceKind, headers: { errorMessage: 'x' } }));

    assert.deepEqual([namesOf('dataflow').length, namesOf('http').length], [0, 1]);
  });

  it('do not include the attributes of the Pub/Sub sink connector if no consumer of Kafka failed', () => {
    const headers = { 'kafka.topic': 'orders', 'kafka.offset': '7', key: 'k', 'dlo-attempt': '2' };

    const restored = restoreHeaders(aLeasedEvent({ payloadEncoding: 'text', sourceKey: 'k', headers }));
    assert.deepEqual(
      restored.map(([name]) => name),
      ['kafka.topic', 'kafka.offset', 'key'],
    );
  });
});

describe('ordinary attributes of an event', () => {
  it('are sent unchanged', () => {
    const headers = Object.fromEntries(ordinaryNames.map((name) => [name, 'value']));
    const restored = restoreHeaders(aLeasedEvent({ payloadEncoding: 'text', headers }));
    assert.deepEqual(Object.fromEntries(restored), headers);
  });
});

describe('the attributes of a CloudEvent', () => {
  const restore = (headers: LeasedEvent['headers']) =>
    Object.fromEntries(restoreHeaders(aLeasedEvent({ headers: { 'ce-specversion': '1.0', ...headers } })));

  it('from Kafka get the prefix ce-', () => {
    const headers = { ce_specversion: '1.0', ce_type: 'order.created' };
    const restored = Object.fromEntries(restoreHeaders(aLeasedEvent({ headers })));

    assert.deepEqual([restored['ce-specversion'], restored['ce-type']], ['1.0', 'order.created']);
  });

  it('are percent-encoded by the specification', () => {
    assert.equal(
      restore({ 'ce-subject': 'Euro € 😀 100%"' })['ce-subject'],
      'Euro%20%E2%82%AC%20%F0%9F%98%80%20100%25%22',
    );
  });

  it('are only those with the prefix', () => {
    const { authorization, ...restored } = restore({ authorization: 'Bearer stolen', specversion: '2' });

    assert.equal(authorization, undefined);
    assert.deepEqual([restored.specversion, restored['ce-specversion']], ['2', '1.0']);
  });

  it('keep the content encoding of a body that still has it', () => {
    assert.equal(restore({ 'content-encoding': 'gzip' })['content-encoding'], 'gzip');
  });

  it('send the data content type only as Content-Type', () => {
    const event = aLeasedEvent({
      contentType: 'text/csv',
      headers: { 'ce-specversion': '1.0', 'ce-datacontenttype': 'text/csv' },
    });

    assert.deepEqual(restoreHeaders(event), [
      ['ce-specversion', '1.0'],
      ['content-type', 'text/csv'],
    ]);
  });
});
