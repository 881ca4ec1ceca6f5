import { countBytes, type Limit, type Outgoing, shorten } from './limits.ts';
import { composeAttributes } from './pubsub-attributes.ts';

// https://docs.cloud.google.com/pubsub/quotas#resource_limits
const maxAttributes = 100;
const maxNameBytes = 256;
const maxValueBytes = 1024;
const maxMessageBytes = 10 * 2 ** 20;

/** Returns what Pub/Sub rejects of a message. It then rejects all of it. */
export function findPubSubLimits(message: Outgoing): Limit[] {
  const { attributes, orderingKey } = composeAttributes(message, 1);
  const entries = Object.entries(attributes);
  const bytes = [orderingKey, ...entries.flat()].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    message.bodyBytes,
  );
  return [
    ...entries.flatMap(([name, value]) => checkAttribute(name, value)),
    ...(entries.length > maxAttributes
      ? [limit('attributes', `It would have ${entries.length} attributes`, `up to ${maxAttributes}`)]
      : []),
    ...(bytes > maxMessageBytes
      ? [limit('message', `It has ${countBytes(bytes)}`, `up to ${countBytes(maxMessageBytes)}`)]
      : []),
  ];
}

function checkAttribute(name: string, value: string): Limit[] {
  const part = `attribute ${shorten(name)}`;
  const [nameBytes, valueBytes] = [Buffer.byteLength(name), Buffer.byteLength(value)];
  if (nameBytes === 0) return [limit('attribute without a name', 'An attribute has no name', 'names only')];
  return [
    ...(nameBytes > maxNameBytes
      ? [limit(part, `The name of the ${part} has ${countBytes(nameBytes)}`, `up to ${maxNameBytes}`)]
      : []),
    ...(valueBytes > maxValueBytes
      ? [limit(part, `The ${part} has ${countBytes(valueBytes)}`, `up to ${countBytes(maxValueBytes)}`)]
      : []),
  ];
}

function limit(part: string, what: string, allowed: string): Limit {
  return { effect: 'not-sent', part, detail: `${what}; Pub/Sub accepts ${allowed}.` };
}
