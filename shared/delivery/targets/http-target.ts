import * as v from 'valibot';
import { continueTrace, deliveryHeaders } from './delivery-headers.ts';
import { type PlannedHeader, planHeaders, restoreHeaders } from './http-headers.ts';
import { countBytes, type Limit, type Outgoing, shorten } from './limits.ts';
import type { Outcome } from './outcome.ts';
import { judgeAnswer, post } from './post.ts';
import { headersExcept, httpUrl, namesOfHeaders, text } from './target-fields.ts';
import type { Delivery, TargetKind } from './target-kind.ts';

const schema = v.strictObject({
  kind: v.literal('http'),
  url: httpUrl,
  audience: v.optional(text),
  headers: headersExcept(),
  /** Headers of events that would be withheld. */
  allowHeaders: namesOfHeaders,
});

export type HttpTarget = v.InferOutput<typeof schema>;

/**
 * An HTTP endpoint: a POST of the original body and headers. It has no notion of keys, so that it keeps no
 * order.
 */
export const http: TargetKind<typeof schema> = {
  schema,
  nameOf: ({ url }) => url,
  keepsOrder: false,
  limitsOf: findHttpLimits,
  deliver: deliverByHttp,
  reachOf: async () => ({}),
};

/** The limit of Tomcat, Jetty and nginx by default. Node accepts twice as much. */
const usualBytes = 8192;
/** Header names, the request line and what proxies add. */
const reservedBytes = 512;

/**
 * Returns each header that HTTP does not carry as it came, and whether all are longer than many servers
 * accept.
 */
export function findHttpLimits(
  message: Outgoing,
  { headers, allowHeaders }: Pick<HttpTarget, 'headers' | 'allowHeaders'>,
): Limit[] {
  const sent = [
    ...restoreHeaders(message, allowHeaders),
    ...Object.entries(continueTrace(message)),
    ...deliveryHeaders(message, 1),
    ...Object.entries(headers),
  ];
  const bytes = sent.reduce((sum, [name, value]) => sum + name.length + value.length + 4, reservedBytes);
  const limits = planHeaders(message, allowHeaders).flatMap(toLimit);
  if (bytes <= usualBytes) return limits;
  const detail = `The request has headers of some ${countBytes(bytes)}; many servers accept up to ${countBytes(usualBytes)}.`;
  return [...limits, { effect: 'may-fail', part: 'headers', detail }];
}

const notes: Readonly<Record<NonNullable<PlannedHeader['note']>, Omit<Limit, 'part'>>> = {
  unnamed: { effect: 'omitted', detail: 'is omitted: HTTP cannot carry its name.' },
  withheld: { effect: 'omitted', detail: 'is omitted: it can state who calls. Allow it by allowHeaders.' },
  encoded: { effect: 'changed', detail: 'is encoded: HTTP cannot carry its spaces or control characters.' },
};

function toLimit({ name, note }: PlannedHeader): Limit[] {
  if (note === undefined) return [];
  const part = `header ${shorten(name)}`;
  return [{ effect: notes[note].effect, part, detail: `The ${part} ${notes[note].detail}` }];
}

/**
 * POSTs the exact body with the original headers. Follows no redirect. Never throws: every failure is an
 * outcome.
 */
export function deliverByHttp({ event, target, attempt, ...more }: Delivery<HttpTarget>): Promise<Outcome> {
  const trace = continueTrace(event);
  const request = {
    ...more,
    url: target.url,
    target,
    messageHeaders: [
      ...restoreHeaders(event, target.allowHeaders).filter(([name]) => !Object.hasOwn(trace, name)),
      ...Object.entries(trace),
    ],
    deliveryHeaders: deliveryHeaders(event, attempt),
  };
  return post(request, judgeAnswer);
}
