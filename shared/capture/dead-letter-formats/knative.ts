import { readCloudEventAttribute } from '../cloud-event.ts';
import { joinReason } from '../error-reason.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * An event that Knative could not deliver: the event itself with `knativeerrordest`, `knativeerrorcode` and
 * `knativeerrordata`, the response's body in base64.
 * https://knative.dev/docs/eventing/event-delivery/
 */
export const readKnative: DeadLetterFormat = (message) => {
  const attribute = (name: string) => readCloudEventAttribute(message, name);
  const [destination, code] = [attribute('knativeerrordest'), attribute('knativeerrorcode')];
  const data = attribute('knativeerrordata');
  if (destination === null && code === null && data === null) return undefined;
  const [source, id] = [attribute('source'), attribute('id')];
  return {
    ...(source !== null && id !== null && { eventKey: `ce:${source}#${id}` }),
    errorReason: joinReason(code && `HTTP ${code}`, data && decodeErrorData(data)),
    sourceKind: 'knative',
    sourceTopic: source,
    sourceSubscription: null,
    consumerGroup: destination,
  };
};

/** Knative cuts the base64 at 1,024 characters: drops an incomplete group of four and an incomplete character. */
function decodeErrorData(data: string): string | null {
  const whole = data.slice(0, data.length - (data.length % 4));
  const text = Buffer.from(whole, 'base64').toString('utf8');
  let end = text.length;
  while (text[end - 1] === '\uFFFD') end--;
  return text.slice(0, end) || null;
}
