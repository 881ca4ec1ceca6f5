import { toText } from './column-values.ts';

/** Returns the trace id of the first valid W3C traceparent, or null (W3C Trace Context, section 3.2). */
export function findTraceId(...traceparents: unknown[]): string | null {
  for (const traceparent of traceparents) {
    const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(toText(traceparent) ?? '') ?? [];
    if (traceId) return traceId;
  }
  return null;
}
