/**
 * Headers of the connection, of Google's front ends and of whoever calls. What the caller proves itself with is kept
 * nowhere. https://cloud.google.com/pubsub/docs/payload-unwrapping
 */
const transport =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|cache-control|content-(length|type|encoding)|user-agent|accept(-.*)?|via|forwarded|x-forwarded-.*|x-real-ip|x-cloud-trace-context|traceparent|tracestate|grpc-trace-bin|function-execution-id|sec-.*|x-(goog|google|appengine|serverless|envoy|cloudtasks|amz-sns)-.*|(proxy-)?authorization|cookie|x-api-key|x-auth-token|dlo-.*)$/;

/** What is left of a request's headers when its transport is taken away: the message's own, where HTTP carries them. */
export function readOwnHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !transport.test(name) && !isSentByPubSub(name, value)),
  );
}

/** Each push has this header, and an attribute may have its name. */
function isSentByPubSub(name: string, value: string): boolean {
  return name === 'from' && value === 'noreply@google.com';
}
