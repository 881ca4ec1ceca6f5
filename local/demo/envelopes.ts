import type { Order } from './orders.ts';

/** A request to `/capture`. */
export type Envelope = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** An order that could not be processed, and its error. */
type Failure = { readonly order: Order; readonly error: Error };

type Wrap = (failure: Failure, now: Date) => Envelope;

const json = { 'content-type': 'application/json' };
const project = 'demo-shop';

/** The envelopes in which the shop sends its failures, in turn. */
export const wraps: readonly Wrap[] = [wrapAsReport, wrapAsDeadLetter, wrapAsCloudEvent];

/** A report, as a consumer sends it from its catch block. */
function wrapAsReport({ order, error }: Failure): Envelope {
  const { eventType, ...payload } = order;
  const report = {
    eventType,
    eventId: order.orderId,
    payload,
    error: { message: error.message, stack: error.stack, class: error.name },
    source: { topic: 'orders', key: order.customer, consumerGroup: 'payments' },
    metadata: { region: 'europe-west1', schemaVersion: 2 },
    occurredAt: order.placedAt,
  };
  return { headers: json, body: JSON.stringify(report) };
}

/** A message that Pub/Sub forwarded to a dead-letter topic, as a push subscription delivers it. */
function wrapAsDeadLetter({ order }: Failure, now: Date): Envelope {
  const { eventType, ...payload } = order;
  const push = {
    subscription: `projects/${project}/subscriptions/dlo-capture`,
    message: {
      data: Buffer.from(JSON.stringify(payload)).toString('base64'),
      messageId: `${now.getTime()}`,
      publishTime: now.toISOString(),
      orderingKey: order.customer,
      attributes: {
        event_type: eventType,
        event_id: order.orderId,
        CloudPubSubDeadLetterSourceDeliveryCount: '5',
        CloudPubSubDeadLetterSourceSubscription: 'payments-orders',
        CloudPubSubDeadLetterSourceSubscriptionProject: project,
        CloudPubSubDeadLetterSourceTopicPublishTime: order.placedAt.replace('Z', '+00:00'),
      },
    },
  };
  return { headers: json, body: JSON.stringify(push) };
}

/** A CloudEvent in binary mode: attributes in headers, the order as the body. */
function wrapAsCloudEvent({ order }: Failure): Envelope {
  const { eventType, ...payload } = order;
  const headers = {
    ...json,
    'ce-specversion': '1.0',
    'ce-id': order.orderId,
    'ce-source': '//shop.example/orders',
    'ce-type': eventType,
    'ce-time': order.placedAt,
    'ce-subject': order.customer,
  };
  return { headers, body: JSON.stringify(payload) };
}
