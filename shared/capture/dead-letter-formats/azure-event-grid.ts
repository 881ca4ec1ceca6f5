import { isObject, parseJson } from '../../json/parse-json.ts';
import { readCloudEventAttribute } from '../cloud-event.ts';
import { toCount, toDate, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { addEnvelope, describeFailedMessage, dropMembers, openEnvelope } from '../failed-message.ts';
import { hasHeader } from '../header-values.ts';
import type { DeadLetterFormat } from '../message.ts';

/** The fields that Event Grid adds to an event when it dead-letters it. CloudEvents have these names in lower case. */
const added = [
  ...['deadLetterReason', 'deliveryAttempts', 'lastDeliveryOutcome', 'lastHttpStatusCode'],
  ...['publishTime', 'lastDeliveryAttemptTime'],
];
const addedAttribute = new RegExp(
  `^(ce[-_])?(${added.join('|')}|deadletterProperties|brokerProperties|customDeliveryProperties)$`,
  'i',
);

/**
 * An event in the Event Grid schema, from a blob of dead letters, which is an array of them. Events of a custom schema
 * are dead-lettered in this schema, too. The name of the blob has the subscription, its content has not.
 * https://learn.microsoft.com/azure/event-grid/delivery-and-retry#delivery-event-formats
 */
export const readEventGridEvent: DeadLetterFormat = (message) => {
  const json = openEnvelope(message);
  if (typeof json?.deadLetterReason !== 'string' || !('data' in json)) return undefined;
  const [id, topic, subject] = [toText(json.id), toText(json.topic), toText(json.subject)];
  const [type, occurredAt] = [toText(json.eventType), toDate(json.eventTime)];
  if (id === null || type === null || subject === null || occurredAt === null) return undefined;
  return {
    ...describeFailedMessage(message, {
      kind: 'azure-event-grid',
      identity: `${topic === null ? '' : `${topic}/`}${id}`,
      failure: toText(json.lastDeliveryAttemptTime),
      facts: {
        errorReason: joinDelivery(json.deadLetterReason, json.lastDeliveryOutcome, json.lastHttpStatusCode),
        eventId: id,
        eventType: type,
        sourceTopic: topic,
        sourceKey: subject,
        sourceAttempts: toCount(json.deliveryAttempts),
        occurredAt,
      },
    }),
    ...dropMembers(message, added, ['deadLetterReason', 'deliveryAttempts']),
  };
};

/**
 * A CloudEvent that Event Grid dead-lettered: topics add attributes, namespaces an attribute
 * `deadletterProperties` or `brokerProperties` with members of nearly the same names: the documentation has both.
 * https://learn.microsoft.com/azure/event-grid/dead-letter-event-subscriptions-namespace-topics
 */
export const readEventGridCloudEvent: DeadLetterFormat = (message) => {
  if (!hasHeader(message.headers, /(deadletterreason|deadletterproperties|brokerproperties)$/i))
    return undefined;
  const attribute = (name: string) => readCloudEventAttribute(message, name);
  const json = parseJson(attribute('deadletterProperties') ?? attribute('brokerProperties') ?? undefined);
  const properties = isObject(json) ? json : {};
  const read = (name: string) => attribute(name) ?? toText(properties[name]);
  const reason = read('deadletterreason');
  const attempts = toCount(read('deliveryattempts'));
  if (reason === null || attempts === null) return undefined;
  const headers = Object.entries(message.headers);
  const failedAt = read('lastdeliveryattempttime') ?? read('deliveryattemptutc');
  return {
    errorReason: joinDelivery(
      reason,
      read('lastdeliveryoutcome') ?? read('deliveryresult'),
      read('lasthttpstatuscode'),
    ),
    ...(failedAt !== null && { deliveryId: `${message.facts.eventKey}/${failedAt}` }),
    sourceKind: 'azure-event-grid',
    sourceAttempts: attempts,
    headers: Object.fromEntries(headers.filter(([name]) => !addedAttribute.test(name))),
    metadata: addEnvelope(
      message.facts.metadata,
      headers.filter(([name]) => addedAttribute.test(name)),
    ),
  };
};

/** Why Event Grid stopped, and how its last delivery ended. */
function joinDelivery(reason: unknown, outcome: unknown, status: unknown): string | null {
  const code = toText(status);
  return joinReason(toText(reason), toText(outcome), code && `HTTP ${code}`);
}
