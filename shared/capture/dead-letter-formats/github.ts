import { isObject } from '../../json/parse-json.ts';
import { toText } from '../column-values.ts';
import { readHeader } from '../header-values.ts';
import type { DeadLetterFormat } from '../message.ts';
import { describeWebhook } from '../webhook.ts';

/**
 * A delivery of a GitHub webhook. Its type is that of the event with the action, such as `issues.opened`. GitHub delivers
 * an event again with the same id.
 * https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers
 */
export const readGitHub: DeadLetterFormat = (message) => {
  const event = readHeader(message.headers, 'x-github-event');
  const id = readHeader(message.headers, 'x-github-delivery');
  if (event === null || id === null) return undefined;
  const action = isObject(message.json) ? toText(message.json.action) : null;
  const type = action === null ? event : `${event}.${action}`;
  return describeWebhook(message, { kind: 'github', id, type, occurredAt: null });
};
