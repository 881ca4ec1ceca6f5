import http from 'node:http';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Subscription } from './broker.ts';
import type { PublishedMessage } from './message.ts';

const maxConcurrentPushes = 32;
const ackDeadlineMs = 600_000;
const minBackoffMs = 100;
const maxBackoffMs = 60_000;
const acknowledgingStatuses: readonly (number | undefined)[] = [102, 200, 201, 202, 204];

/**
 * Creates a subscription that posts each message to `endpoint` until it is acknowledged, at most 32 at once; the backoff
 * doubles from 100 ms to 60 s. `stopped` ends every push.
 */
export function pushSubscription(name: string, endpoint: string, stopped: AbortSignal): Subscription {
  const limit = pLimit(maxConcurrentPushes);
  const push = async (message: PublishedMessage) => {
    const body = JSON.stringify({ message: wrapMessage(message), subscription: name });
    for (let backoffMs = minBackoffMs; !stopped.aborted; backoffMs = Math.min(maxBackoffMs, backoffMs * 2)) {
      const isAcknowledged = await limit(() => post(endpoint, body, stopped)).catch(() => false);
      if (isAcknowledged) return;
      await delay(backoffMs, undefined, { signal: stopped }).catch(() => undefined);
    }
  };
  return { name, deliver: (message) => void push(message) };
}

/** The message of a wrapped push: most names come twice, as the real service sends them. */
function wrapMessage({
  attributes,
  data,
  messageId,
  orderingKey,
  publishTime: time,
}: PublishedMessage): object {
  const publishTime = time.toISOString();
  return {
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(data.length > 0 && { data: data.toString('base64') }),
    messageId,
    message_id: messageId,
    ...(orderingKey !== '' && { orderingKey }),
    publishTime,
    publish_time: publishTime,
  };
}

function post(endpoint: string, body: string, stopped: AbortSignal): Promise<boolean> {
  const { request: open } = endpoint.startsWith('https:') ? https : http;
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(ackDeadlineMs)]);
  return new Promise((resolve, reject) => {
    // One connection per push: the endpoint may close a kept-alive connection just as it is used again, which would
    // count as a failed delivery.
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
