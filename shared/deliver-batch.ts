import pLimit, { type LimitFunction } from 'p-limit';
import type { RetryConfig } from './config.ts';
import type { Database } from './database.ts';
import { DatabaseUnavailableError } from './errors.ts';
import { type LeasedEvent, type Settlement, settleEvents } from './events.ts';
import { findRoute, nameTarget, type Route } from './routes.ts';
import { decideNextState } from './settlement.ts';
import { toStorableText } from './storable-text.ts';
import { deliverByHttp } from './targets/http.ts';
import type { Outcome } from './targets/outcome.ts';
import { deliverByPubSub } from './targets/pubsub.ts';

/** The time-limited right to work on the events that were claimed with `token`. `endsAt` is in ms since the epoch. */
export type Lease = { readonly token: string; readonly endsAt: number };

export type Batch = {
  readonly db: Database;
  readonly routes: readonly Route[];
  readonly retry: RetryConfig;
  readonly runId: string;
  readonly lease: Lease;
};

export type Delivered = {
  readonly event: LeasedEvent;
  readonly settlement: Settlement;
  /** False: the lease was lost meanwhile, and nothing was changed. */
  isSettled: boolean;
};

/** Delivers claimed events, so many at once as their routes allow, and settles all of them in one statement. */
export async function deliverBatch(batch: Batch, events: readonly LeasedEvent[]): Promise<Delivered[]> {
  const limits = new Map<Route, LimitFunction>(
    batch.routes.map((route) => [route, pLimit(route.policy.concurrency)]),
  );
  const settlements = await Promise.all(
    events.map((event) => {
      const route = findRoute(batch.routes, event);
      const limit = route && limits.get(route);
      return limit ? limit(() => deliver(batch, event, route)) : release(batch, event);
    }),
  );
  const settled = await settle(batch, settlements);
  return events.map((event, i) => {
    const settlement = settlements[i] as Settlement;
    return { event, settlement, isSettled: settled.has(event.id) };
  });
}

async function deliver(batch: Batch, event: LeasedEvent, route: Route): Promise<Settlement> {
  const { timeoutSeconds } = route.policy;
  // Its turn came so late that the lease might end first: somebody else may have it then.
  if (Date.now() + timeoutSeconds * 1000 >= batch.lease.endsAt) return release(batch, event);
  const startedAt = new Date();
  const outcome = await send(event, route);
  const next = decideNextState(event, route.policy, outcome, {
    maxRetries: batch.retry.maxRetries,
    random: Math.random,
  });
  return {
    id: event.id,
    lease_token: batch.lease.token,
    failure_count: event.failure_count,
    status: next.status,
    is_failure: next.isFailure,
    retry_in_seconds: next.retryInSeconds,
    outcome: outcome.kind,
    failure_kind: outcome.kind === 'delivered' ? null : outcome.kind,
    target: nameTarget(route.target),
    started_at: startedAt,
    duration_ms: Date.now() - startedAt.getTime(),
    response_status: outcome.responseStatus ?? null,
    response_body: outcome.responseBody ?? null,
    error: outcome.error === undefined ? null : toStorableText(outcome.error, 500),
  };
}

function send(event: LeasedEvent, { target, policy }: Route): Promise<Outcome> {
  const body = event.body ?? Buffer.from(event.payload_text ?? '');
  const common = { event, body, attempt: event.retry_count + 1, timeoutSeconds: policy.timeoutSeconds };
  return target.kind === 'http'
    ? deliverByHttp({ ...common, target })
    : deliverByPubSub({ ...common, target });
}

/** Gives an event back as it was: it costs no retry, and it is due at once. */
function release({ lease }: Batch, event: LeasedEvent): Settlement {
  return {
    id: event.id,
    lease_token: lease.token,
    failure_count: event.failure_count,
    status: 'PENDING',
    is_failure: false,
    retry_in_seconds: null,
    outcome: null,
    failure_kind: null,
    target: null,
    started_at: new Date(),
    duration_ms: 0,
    response_status: null,
    response_body: null,
    error: null,
  };
}

/** Outcomes are worth more than patience: a database that is away for a moment is tried until the lease ends. */
async function settle(
  { db, lease, runId, retry }: Batch,
  settlements: readonly Settlement[],
): Promise<Set<string>> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      const params = { runId, settlements: JSON.stringify(settlements), maxReturns: retry.maxReturns };
      const settled = await settleEvents(db, params);
      return new Set(settled.map(({ id }) => id));
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || Date.now() + waitMs >= lease.endsAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
