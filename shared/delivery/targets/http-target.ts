import * as v from 'valibot';
import { type PlannedHeader, planHeaders, restoreHeaders } from './http-headers.ts';
import { continueTrace, deliveryHeaders } from './message-headers.ts';
import { type Header, judgeAnswer, post } from './post.ts';
import { headersExcept, httpUrl, namesOfHeaders, text } from './target-fields.ts';
import { countBytes, type Limit, shorten, type TargetKind } from './target-kind.ts';

const schema = v.strictObject({
  kind: v.literal('http'),
  url: httpUrl,
  audience: v.optional(text),
  headers: headersExcept(),
  /** Headers of events that are withheld otherwise. */
  allowHeaders: namesOfHeaders,
});

export type HttpTarget = v.InferOutput<typeof schema>;

/** A POST of the original body and headers. HTTP has no keys, so that it keeps no order. */
export const http: TargetKind<typeof schema> = {
  schema,
  nameOf: ({ url }) => url,
  keepsOrder: false,
  compose(event, { url, headers: configured, allowHeaders, audience }, attempt) {
    const planned = planHeaders(event, allowHeaders);
    const trace = continueTrace(event);
    const restored = restoreHeaders(event, planned).filter(([name]) => !Object.hasOwn(trace, name));
    const names = new Set(Object.keys(configured).map((name) => name.toLowerCase()));
    const ofMessage = [...restored, ...Object.entries(trace)].filter(
      ([name]) => !names.has(name.toLowerCase()),
    );
    const headers = [...ofMessage, ...Object.entries(configured), ...deliveryHeaders(event, attempt)];
    return {
      limits: [...planned.flatMap(toLimit), ...checkBytes(headers)],
      send: (body, timeoutSeconds) => post({ url, headers, audience, body, timeoutSeconds }, judgeAnswer),
    };
  },
};

/** The limit of Tomcat, Jetty and nginx by default. Node accepts twice as much. */
const usualBytes = 8192;
/** Header names, the request line and what proxies add. */
const reservedBytes = 512;

function checkBytes(headers: readonly Header[]): Limit[] {
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, reservedBytes);
  if (bytes <= usualBytes) return [];
  const detail = `The request has headers of some ${countBytes(bytes)}; many servers accept up to ${countBytes(usualBytes)}.`;
  return [{ effect: 'may-fail', part: 'headers', detail }];
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
