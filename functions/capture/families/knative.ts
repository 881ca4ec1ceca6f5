import { readerOfCloudEvent } from '../cloudevent-json.ts';
import { withConsumer } from '../identity.ts';
import type { Family } from '../message.ts';
import { joinReason } from '../text.ts';

/**
 * An event that Knative could not deliver: the event itself with `knativeerrordest`, `knativeerrorcode` and
 * `knativeerrordata`, the answer's body in base64.
 * https://knative.dev/docs/eventing/event-delivery/
 */
export const readKnative: Family = (message) => {
  const told = readerOfCloudEvent(message);
  const [destination, code] = [told('knativeerrordest'), told('knativeerrorcode')];
  const data = told('knativeerrordata');
  if (destination === null && code === null && data === null) return undefined;
  const [source, id] = [told('source'), told('id')];
  return {
    ...(source !== null && id !== null && { eventKey: withConsumer(`ce:${source}#${id}`, destination) }),
    errorReason: joinReason(code && `HTTP ${code}`, data && decodeErrorData(data)),
    sourceKind: 'knative',
    sourceTopic: source,
    sourceSubscription: null,
    consumerGroup: destination,
  };
};

/** Cut to 1024 characters wherever that may be: only whole groups of four can be decoded, and whole characters read. */
function decodeErrorData(data: string): string | null {
  const whole = data.slice(0, data.length - (data.length % 4));
  return (
    Buffer.from(whole, 'base64')
      .toString('utf8')
      .replace(/\uFFFD+$/, '') || null
  );
}
