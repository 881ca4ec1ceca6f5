import { keyFromId } from './identity.ts';
import type { Facts, Message } from './message.ts';

/** The facts of an event that a service sends by webhook. */
type Webhook = {
  readonly kind: string;
  readonly id: string;
  readonly type: string | null;
  readonly key?: string | null;
  readonly occurredAt: Date | null;
};

/**
 * The facts of a webhook's event, which reports no failure. The message is the body as received: the service's
 * signature covers it. What the transport reports takes precedence: a consumer's report of the event, for example.
 */
export function describeWebhook(
  { facts }: Message,
  { kind, id, type, key = null, occurredAt }: Webhook,
): Partial<Facts> {
  const isIdKnown = (facts.eventId ?? null) !== null;
  const isTypeKnown = ![undefined, 'unknown', facts.sourceTopic].includes(facts.eventType);
  return {
    ...(!isIdKnown && {
      eventId: id,
      eventKey: keyFromId(id),
    }),
    ...(!isTypeKnown && type !== null && { eventType: type, isTypeTold: true }),
    ...(key !== null && (facts.sourceKey ?? null) === null && { sourceKey: key }),
    sourceKind: facts.sourceKind ?? kind,
    occurredAt: facts.occurredAt ?? occurredAt,
  };
}
