import { findSenderId } from './identity.ts';

/**
 * Headers of the connection, of front ends and of HTTP clients, and credentials.
 * https://cloud.google.com/pubsub/docs/payload-unwrapping
 */
const transportHeader =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|cache-control|content-(length|type)|user-agent|accept(-.*)?|via|forwarded|x-forwarded-.*|x-real-ip|x-cloud-trace-context|traceparent|tracestate|grpc-trace-bin|function-execution-id|sec-.*|x-goog-(authenticated|iap|pubsub|api)-.*|x-(google|appengine|serverless|envoy|cloudtasks)-.*|(proxy-)?authorization|cookie|x-api-key|x-auth-token|dlo-.*)$/;

/** All but those of the transport. An id that the sender gave its event belongs to the message. */
export function readMessageHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isSenderId = findSenderId(headers) !== null;
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) =>
        (name === 'dlo-event-id' && isSenderId) ||
        !(transportHeader.test(name) || isSentByPubSub(name, value)),
    ),
  );
}

/** Of those that no signature covers, `dlo-event-id` is an ordinary header. */
export function readUnsignedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) =>
        /^dlo-(?!signature$)/.test(name) || !(transportHeader.test(name) || name === 'idempotency-key'),
    ),
  );
}

/** Pub/Sub sends this header with each push. A message attribute may have the same name. */
function isSentByPubSub(name: string, value: string): boolean {
  return name === 'from' && value === 'noreply@google.com';
}
