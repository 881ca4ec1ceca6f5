import * as v from 'valibot';
import { findHttpLimits } from './http-limits.ts';
import { headersExcept, httpUrl, namesOfHeaders, text } from './target-fields.ts';
import type { TargetKind } from './target-kind.ts';

const schema = v.strictObject({
  kind: v.literal('http'),
  url: httpUrl,
  audience: v.optional(text),
  headers: headersExcept(),
  /** Headers of events that would be withheld. */
  allowHeaders: namesOfHeaders,
});

/**
 * Loaded with the first delivery: a cold start does not wait for it. Kept, because an import is slow also the
 * second time.
 */
let loading: Promise<typeof import('./http.ts')> | undefined;

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
  deliver: async (delivery) => {
    loading ??= import('./http.ts');
    return (await loading).deliverByHttp(delivery);
  },
  reachOf: async () => ({}),
};
