import { isObject } from '../../json/parse-json.ts';
import { toDate, toDateFromSeconds } from '../column-values.ts';
import type { DeadLetterFormat } from '../message.ts';
import { describeWebhook } from '../webhook.ts';

/**
 * An event of a Stripe webhook. A thin event has a reference to its object in place of the object. Stripe sends an event
 * again with the same id.
 * https://docs.stripe.com/api/events/object
 * https://docs.stripe.com/event-destinations#thin-events
 */
export const readStripe: DeadLetterFormat = (message) => {
  const { json } = message;
  if (!isObject(json) || (json.object !== 'event' && json.object !== 'v2.core.event')) return undefined;
  const { id, type, created, livemode } = json;
  if (typeof id !== 'string' || !id.startsWith('evt_') || typeof type !== 'string') return undefined;
  if (typeof livemode !== 'boolean') return undefined;
  return describeWebhook(message, {
    kind: 'stripe',
    id,
    type,
    occurredAt: toDateFromSeconds(created) ?? toDate(created),
  });
};
