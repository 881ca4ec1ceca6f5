import { readCloudEventAttribute } from '../cloud-event.ts';
import { keyFromContent } from '../identity.ts';
import type { DeadLetterFormat } from '../message.ts';
import { findTraceId } from '../trace-id.ts';

/**
 * An event from a dead-letter topic of Dapr: a CloudEvent without a reason and without the failed consumer. With
 * `rawPayload` Dapr generates a CloudEvent at each delivery, with a random id.
 * https://docs.dapr.io/developing-applications/building-blocks/pubsub/pubsub-deadletter/
 * https://github.com/dapr/components-contrib/blob/main/pubsub/envelope.go
 */
export const readDapr: DeadLetterFormat = (message) => {
  const attribute = (name: string) => readCloudEventAttribute(message, name);
  if (attribute('pubsubname') === null || attribute('topic') === null) return undefined;
  const isGenerated =
    attribute('source') === 'Dapr' && attribute('datacontenttype') === 'application/octet-stream';
  return {
    ...(isGenerated && { eventKey: keyFromContent(message.body), eventId: null }),
    sourceKind: 'dapr',
    sourceTopic: attribute('topic'),
    traceId: findTraceId(attribute('traceparent'), attribute('traceid')) ?? message.facts.traceId ?? null,
  };
};
