import type { Format } from './format.ts';

/** Their body is the message, and they report no failure. A source may name one as its preset. */
const services: readonly Omit<Format, 'of' | 'seen'>[] = [
  {
    name: 'stripe',
    source: 'https://docs.stripe.com/api/events/object',
    when: {
      ...{ 'json:/object': /^(event|v2\.core\.event)$/, 'json:/id': /^evt_/ },
      ...{ 'json:/type': 'text', 'json:/livemode': 'boolean' },
    },
    id: 'json:/id',
    type: 'json:/type',
    time: 'json:/created as time',
  },
  {
    name: 'elasticsearch-bulk',
    source: 'https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-bulk',
    when: {
      'json:/index/_index | json:/index/_id | json:/create/_index | json:/create/_id | json:/update/_index | json:/update/_id | json:/delete/_index | json:/delete/_id':
        'text',
    },
    only: { '': [] },
    split: false,
    note: 'By its first line. Lines belong together, so that they are one message.',
  },
  {
    name: 'github',
    source: 'https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers',
    id: 'header:x-github-delivery',
    type: ['header:x-github-event', 'json:/action | form:/payload/action'],
  },
  {
    name: 'gitlab',
    source: 'https://docs.gitlab.com/user/project/integrations/webhooks/#delivery-headers',
    id: 'header:x-gitlab-event-uuid',
    type: 'header:x-gitlab-event',
  },
  {
    name: 'shopify',
    source: 'https://shopify.dev/docs/apps/build/webhooks/subscribe#headers',
    id: 'header:x-shopify-webhook-id',
    type: 'header:x-shopify-topic',
    key: 'header:x-shopify-shop-domain',
  },
  {
    name: 'standard-webhooks',
    source: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
    id: 'header:webhook-id',
    type: 'json:/type',
  },
  {
    name: 'svix',
    source: 'https://docs.svix.com/receiving/verifying-payloads/how',
    id: 'header:svix-id',
    type: 'json:/type',
  },
  {
    name: 'google-push',
    source: 'https://developers.google.com/workspace/drive/api/guides/push',
    id: ['header:x-goog-channel-id', 'header:x-goog-message-number'],
    type: 'header:x-goog-resource-state',
    key: 'header:x-goog-resource-id',
  },
  {
    name: 'cloud-scheduler',
    source: 'https://cloud.google.com/scheduler/docs/reference/rest/v1/projects.locations.jobs#httptarget',
    id: ['header:x-cloudscheduler-jobname', 'header:x-cloudscheduler-scheduletime'],
    type: 'header:x-cloudscheduler-jobname',
  },
  {
    name: 'sendgrid',
    source:
      'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook',
    id: ['header:x-twilio-email-event-webhook-timestamp', 'header:x-twilio-email-event-webhook-signature'],
    type: 'json:/0/event',
    split: false,
  },
  {
    name: 'job-webhook',
    source: 'https://docs.fal.ai/model-apis/model-endpoints/webhooks',
    id: 'json:/request_id',
    type: 'json:/status',
    reason: 'json:/error',
    note: 'Only for a source that names it: its members are too common.',
  },
];

/** Webhooks, in order of precedence. Without conditions, the headers with id and type are there. */
export const webhookFormats: readonly Format[] = services.map((service) => {
  const named = [service.id ?? [], service.type ?? []].flat().filter((at) => /^header:[^ ]+$/.test(at));
  const when = Object.fromEntries(named.map((at) => [at, 'text' as const]));
  return { when, ...service, of: 'webhook', seen: 'documentation' };
});

/** A change event of Debezium, with or without its schema. Its type is its topic in the default naming. */
function defineDebezium(under: string, scopes: readonly string[], connector: Format['when']): Format {
  return {
    name: 'debezium',
    of: 'webhook',
    source:
      'https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-change-events-value',
    under,
    when: {
      ...{ op: /^[crudtm]$/, 'source/name': 'text', 'source/table | source/collection': 'text' },
      ...connector,
    },
    topicType: ['source/name', ...scopes, 'source/table | source/collection'],
    topic: ['source/name', ...scopes, 'source/table | source/collection'],
    time: 'source/ts_ms as millis',
    seen: 'recorded from Debezium Server 3.6.0 with PostgreSQL',
    note: 'The topic is `server.schema.table`.',
  };
}

/** SQL Server has schemas in several databases of one server; MySQL and MongoDB have databases only. */
export const changeFormats: readonly Format[] = ['json:/payload/', 'json:/'].flatMap((under) => [
  defineDebezium(under, ['source/db', 'source/schema'], { 'source/connector': /^sqlserver$/ }),
  defineDebezium(under, ['source/schema | source/db'], { 'source/connector': 'text' }),
]);
