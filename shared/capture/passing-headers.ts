/**
 * Headers that each hop, each client or each failure adds to a message, as a pattern of their names for PostgreSQL: traces, forwarding, dates, bookkeeping of brokers. They tell no messages apart. dlq_passing_headers()
 * has the same pattern for reports in SQL.
 */
export const passingHeaders = [
  '^(traceparent|tracestate|baggage|b3|date|via|user-agent|from|forwarded|x-forwarded-.*|x-real-ip|x-request-id|x-b3-.*|',
  'x-cloud-trace-context|x-amzn-trace-id|x-datadog-.*|sentry-trace|uber-trace-id|grpc-trace-bin|cf-.*|x-envoy-.*|dlo-.*|',
  'googclient_.*|cloudpubsubdeadletter.*|x-death|x-(first|last)-death-.*|x-delivery-count|',
  String.raw`kafka_(dlt|original|exception)-.*|__(connect|streams|dlq)\.errors\..*)$`,
].join('');
