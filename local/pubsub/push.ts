import http from 'node:http';
import https from 'node:https';
import { acknowledge, attachReceiver, giveBack } from './leasing.ts';
import type { Lease, Receiver, Subscription } from './subscription.ts';

const maxConcurrentPushes = 32;
const acknowledgingStatuses: readonly (number | undefined)[] = [102, 200, 201, 202, 204];

/** Delivers the messages of a push subscription to its endpoint for as long as the subscription lives. */
export function attachPush(subscription: Subscription, endpoint: string): void {
  const receiver: Receiver = {
    limit: maxConcurrentPushes,
    outstanding: 0,
    leaseSeconds: subscription.wire.ackDeadlineSeconds,
    receive(leases) {
      for (const lease of leases) void push(subscription, endpoint, lease);
    },
    close() {},
  };
  attachReceiver(subscription, receiver);
}

async function push(subscription: Subscription, endpoint: string, lease: Lease): Promise<void> {
  const body = JSON.stringify(wrapMessage(subscription, lease));
  const isTaken = await post(endpoint, body, lease.lapsed.signal).catch(() => false);
  if (isTaken) acknowledge(subscription, lease.ackId);
  else giveBack(subscription, lease.ackId);
}

/** The body of a wrapped push: most names come twice, as the real service sends them. */
function wrapMessage({ wire }: Subscription, { delivery }: Lease): object {
  const { message, attempts } = delivery;
  const publishTime = message.publishTime.toISOString();
  return {
    message: {
      ...(Object.keys(message.attributes).length > 0 && { attributes: message.attributes }),
      ...(message.data.length > 0 && { data: message.data.toString('base64') }),
      messageId: message.messageId,
      message_id: message.messageId,
      ...(message.orderingKey !== '' && { orderingKey: message.orderingKey }),
      publishTime,
      publish_time: publishTime,
    },
    subscription: wire.name,
    ...(wire.deadLetterPolicy && { deliveryAttempt: attempts }),
  };
}

function post(endpoint: string, body: string, signal: AbortSignal): Promise<boolean> {
  const { request: open } = endpoint.startsWith('https:') ? https : http;
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    // Each push has its own connection: one that is kept alive may be closed by the endpoint just as it is used
    // again, which would count as a failed delivery.
    const request = open(endpoint, { method: 'POST', agent: false, signal, headers });
    const statuses: (number | undefined)[] = [];
    request.on('information', ({ statusCode }) => statuses.push(statusCode));
    request.on('response', (response) => {
      statuses.push(response.statusCode);
      response.resume();
      response.on('close', () => resolve(statuses.some((status) => acknowledgingStatuses.includes(status))));
    });
    request.on('error', reject);
    request.end(body);
  });
}
