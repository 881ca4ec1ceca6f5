import { readerOfCloudEvent } from '../cloudevent-json.ts';
import { keyFromContent } from '../identity.ts';
import type { Family } from '../message.ts';
import { findTraceId } from '../text.ts';

/**
 * An event from a dead letter topic of Dapr: a CloudEvent that tells neither a reason nor where it failed. With
 * `rawPayload` Dapr makes one up at each delivery, with a random id.
 * https://docs.dapr.io/developing-applications/building-blocks/pubsub/pubsub-deadletter/
 * https://github.com/dapr/components-contrib/blob/main/pubsub/envelope.go
 */
export const readDapr: Family = (message) => {
  const told = readerOfCloudEvent(message);
  if (told('pubsubname') === null || told('topic') === null) return undefined;
  const isMadeUp = told('source') === 'Dapr' && told('datacontenttype') === 'application/octet-stream';
  return {
    ...(isMadeUp && { eventKey: keyFromContent(message.body), eventId: null }),
    sourceKind: 'dapr',
    sourceTopic: told('topic'),
    traceId: findTraceId(told('traceparent'), told('traceid')) ?? message.facts.traceId ?? null,
  };
};
