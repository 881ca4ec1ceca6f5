import { continueTrace } from './continue-trace.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import { restoreHeaders } from './http-headers.ts';
import type { Outcome } from './outcome.ts';
import { judgeAnswer, post, type TargetHeaders } from './post.ts';
import type { Delivery } from './target-kind.ts';

type Target = TargetHeaders & { readonly url: string; readonly allowHeaders: readonly string[] };

/**
 * POSTs the exact body with the original headers. Follows no redirect. Never throws: every failure is an
 * outcome.
 */
export function deliverByHttp({ event, target, attempt, ...more }: Delivery<Target>): Promise<Outcome> {
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
