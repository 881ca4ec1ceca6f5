import { pickHeaders } from './header-values.ts';
import { findSenderId } from './identity.ts';
import type { Inbound } from './message.ts';

/**
 * Headers of the connection, of front ends and of HTTP clients, and credentials.
 * https://cloud.google.com/pubsub/docs/payload-unwrapping
 */
const transportHeader =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|cache-control|content-(length|type)|user-agent|accept(-.*)?|via|forwarded|x-forwarded-.*|x-real-ip|x-cloud-trace-context|traceparent|tracestate|grpc-trace-bin|function-execution-id|sec-.*|x-goog-(authenticated|iap|pubsub|api)-.*|x-(google|appengine|serverless|envoy|cloudtasks)-.*|(proxy-)?authorization|cookie|x-api-key|x-auth-token|dlo-.*)$/;

/** All but those of the transport. An id that the sender gave its event belongs to the message. */
export function readMessageHeaders(headers: Inbound['headers']): Inbound['headers'] {
  const isSenderId = findSenderId(headers) !== null;
  // Pub/Sub sends such a header with each push. A message attribute may have the same name.
  const isOfPush = (name: string, value: string) => name === 'from' && value === 'noreply@google.com';
  return pickHeaders(headers, (name, value) => {
    if (name === 'dlo-event-id') return isSenderId;
    return !(transportHeader.test(name) || isOfPush(name, value));
  });
}

/** Of those that no signature covers, `dlo-event-id` is an ordinary header. */
export function readUnsignedHeaders(headers: Inbound['headers']): Inbound['headers'] {
  return pickHeaders(headers, (name) => {
    if (/^dlo-(?!signature$)/.test(name)) return true;
    return !transportHeader.test(name) && name !== 'idempotency-key';
  });
}
