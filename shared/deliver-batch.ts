import { randomUUID } from 'node:crypto';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Database } from './database.ts';
import type { LeasedEvent, Settlement } from './events.ts';
import { fingerprintReason } from './fingerprint/fingerprint.ts';
import { oneAfterTheOther } from './one-after-the-other.ts';
import type { RetryConfig } from './retry-config.ts';
import { findRoute, nameTarget, type Route, type Target } from './routes.ts';
import { decideNextState } from './settlement.ts';
import { toStorableText } from './storable-text.ts';
import { type HealthReport, type TargetHealth, watchTargets } from './target-health.ts';
import { sendToTarget } from './targets/send-to-target.ts';

/** The time-limited right to work on the events that were claimed with `token`. `endsAt` is in ms since the epoch. */
export type Lease = { readonly token: string; readonly endsAt: number };

/** A lease for the claim that comes next. Its time is taken before it, so that it ends here no later than there. */
export function openLease(leaseSeconds: number): Lease {
  return { token: randomUUID(), endsAt: Date.now() + leaseSeconds * 1000 };
}

/** What every delivery of the office goes by, whoever asked for it. */
export type DeliveryDeps = {
  readonly db: Database;
  readonly routes: readonly Route[];
  readonly retry: RetryConfig;
};

export type Batch = DeliveryDeps & {
  readonly runId: string;
  readonly lease: Lease;
  /** Whether the rest of the batch is given back when a target turns out to be down. */
  readonly sparesTargets: boolean;
};

/** Delivered, and still to be settled: one settlement for each event, and what was learned of the targets. */
export type DeliveredBatch = {
  readonly events: readonly LeasedEvent[];
  readonly settlements: readonly Settlement[];
  readonly reports: readonly HealthReport[];
};

/** Delivers claimed events, so many at once as their routes allow. Holds no connection. */
export async function deliverBatch(batch: Batch, claimed: readonly LeasedEvent[]): Promise<DeliveredBatch> {
  const deliveries = openDeliveries(batch.routes, () => {});
  const events = inOrderOfCapture(claimed);
  const settlements = await Promise.all(events.map((event) => deliveries.deliver(batch, event)));
  return { events, settlements, reports: deliveries.takeReports() };
}

/** Events in the order in which those of one key have to be handed in for delivery. */
export function inOrderOfCapture(events: readonly LeasedEvent[]): LeasedEvent[] {
  return events.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
}

/** The deliveries of one worker. */
export type Deliveries = Pick<TargetHealth, 'isDown' | 'takeReports'> & {
  deliver(batch: Batch, event: LeasedEvent): Promise<Settlement>;
  /** Whether events of a route wait for their turn. */
  isCrowded(route: Route): boolean;
};

/**
 * Delivers so many events at once as their routes allow, and those of one key one after the other where a key means an
 * order to the target. Calls `onRoom` when a route is crowded no more.
 */
export function openDeliveries(routes: readonly Route[], onRoom: () => void): Deliveries {
  const limits = new Map<Route, LimitFunction>(
    routes.map((route) => [route, pLimit(route.policy.concurrency)]),
  );
  const crowded = new Set<Route>();
  const health = watchTargets();
  const inTurn = oneAfterTheOther<Settlement>();
  return {
    ...health,
    isCrowded: (route) => crowded.has(route),
    async deliver(batch, event) {
      const route = findRoute(routes, event);
      const limit = route && limits.get(route);
      if (!limit) return release(batch, event);
      const delivery = inTurn(nameSequence(event, route.target), (before) =>
        limit(async () => {
          if (limit.pendingCount === 0 && crowded.delete(route)) onRoom();
          await before;
          return deliver(batch, event, route, health);
        }),
      );
      if (limit.pendingCount > 0) crowded.add(route);
      return delivery;
    },
  };
}

/** Pub/Sub and Kafka keep the events of a key in the order in which they arrive; to an HTTP endpoint a key says nothing. */
function nameSequence({ source_key }: LeasedEvent, target: Target): string | undefined {
  return target.kind === 'http' || source_key === null ? undefined : `${nameTarget(target)} ${source_key}`;
}

async function deliver(
  batch: Batch,
  event: LeasedEvent,
  route: Route,
  health: TargetHealth,
): Promise<Settlement> {
  const { policy } = route;
  const target = nameTarget(route.target);
  // Its turn came so late that the lease might end first: somebody else may have it then.
  const isLate = Date.now() + policy.timeoutSeconds * 1000 >= batch.lease.endsAt;
  if (isLate || (batch.sparesTargets && health.isDown(target))) return release(batch, event);
  const startedAt = new Date();
  const outcome = await sendToTarget(event, route);
  health.record(target, policy.breaker, outcome.kind);
  const error = outcome.error === undefined ? null : toStorableText(outcome.error, 500);
  const next = decideNextState(event, policy, outcome, {
    maxRetries: batch.retry.maxRetries,
    random: Math.random,
  });
  return {
    ...release(batch, event),
    goes_back: false,
    status: next.status,
    is_failure: next.isFailure,
    retry_in_seconds: next.retryInSeconds,
    outcome: outcome.kind,
    failure_kind: outcome.kind === 'delivered' ? null : outcome.kind,
    target,
    started_at: startedAt,
    duration_ms: Date.now() - startedAt.getTime(),
    response_status: outcome.responseStatus ?? null,
    response_body: outcome.responseBody ?? null,
    error,
    fingerprint: error === null ? null : fingerprintReason(error),
  };
}

/** Gives an event back as it was: it costs no retry, and it is due as before. */
export function release({ lease }: Pick<Batch, 'lease'>, event: LeasedEvent): Settlement {
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
    goes_back: true,
    skip_reason: null,
    skip_detail: null,
    sent_digest: null,
    fingerprint: null,
  };
}
