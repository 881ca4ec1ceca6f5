import type { LeasedEvent } from '../events.ts';
import type { HttpTarget } from '../routes.ts';
import { continueTrace } from './continue-trace.ts';
import { restoreHeaders } from './http-headers.ts';
import type { Outcome } from './outcome.ts';
import { judgeAnswer, post } from './post.ts';

export type HttpDelivery = {
  readonly event: LeasedEvent;
  readonly body: Buffer;
  readonly target: HttpTarget;
  readonly attempt: number;
  readonly timeoutSeconds: number;
};

/** POSTs the exact body with the original headers. Follows no redirect. Never throws: every end is an outcome. */
export function deliverByHttp({ event, target, attempt, ...more }: HttpDelivery): Promise<Outcome> {
  const trace = continueTrace(event);
  const request = {
    ...more,
    url: new URL(target.url),
    target,
    offered: [
      ...restoreHeaders(event).filter(([name]) => !Object.hasOwn(trace, name)),
      ...Object.entries(trace),
    ],
    ours: [
      ['dlo-event-id', event.id],
      ['dlo-attempt', String(attempt)],
    ] as const,
  };
  return post(request, judgeAnswer);
}
