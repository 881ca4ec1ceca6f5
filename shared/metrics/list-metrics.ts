import type { Measurement, TypeMetric } from './measure.ts';

/**
 * Returns the measurement as flat numbers under stable names, for the log line from which log-based metrics
 * are extracted; in seconds if the name says so. Omits values that are unknown.
 */
export function listMetrics(measured: Measurement): Record<string, number> {
  const { types, hours, leases, runs, breakers, groups, inflow, server, failing } = measured;
  const sum = (field: TypeMetric) => types.reduce((total, type) => total + type[field], 0);
  const countBreakers = (state: string) => breakers.filter((breaker) => breaker.state === state).length;
  const countGroups = (state: string) => groups.find((each) => each.state === state)?.groups ?? 0;
  const ended = hours.delivered24h + hours.failedPermanently24h;
  const metrics = {
    depth_pending: sum('pending'),
    depth_processing: sum('processing'),
    depth_failed_permanently: sum('failedPermanently'),
    depth_succeeded: sum('succeeded'),
    depth_discarded: sum('discarded'),
    oldest_pending_seconds: Math.max(0, ...types.map(({ ageSeconds }) => ageSeconds)),
    captured_1h: hours.captured1h,
    succeeded_1h: hours.succeeded1h,
    captured_24h: hours.captured24h,
    inflow_ratio: inflow?.ratio ?? 0,
    recurrences_24h: hours.recurrences24h,
    delivered_24h: hours.delivered24h,
    failed_permanently_24h: hours.failedPermanently24h,
    discarded_24h: hours.discarded24h,
    permanent_failure_ratio_24h: ended === 0 ? 0 : hours.failedPermanently24h / ended,
    expired_leases: leases.expired,
    stuck_processing: leases.stuck,
    retry_lag_seconds: measured.retryLag,
    unrouted_open: measured.unrouted,
    causes_failing: failing.causes,
    failing_events: failing.events,
    failing_seconds: failing.seconds,
    held_open: measured.held,
    paused_run_events: runs.pausedEvents,
    breakers_open: countBreakers('OPEN'),
    breakers_half_open: countBreakers('HALF_OPEN'),
    groups_open: countGroups('OPEN'),
    groups_regressed: countGroups('REGRESSED'),
    groups_new_24h: groups.reduce((total, each) => total + each.new, 0),
    groups_new_1h: groups.reduce((total, each) => total + each.new1h, 0),
    groups_regressed_1h: groups.reduce((total, each) => total + each.regressed1h, 0),
    runs_24h: runs.runs,
    stale_settlements_24h: runs.stale,
    longest_run_seconds_24h: runs.longest,
    last_tick_duration_seconds: runs.lastTickDuration,
    seconds_since_last_tick: runs.sinceLastTick,
    database_size_bytes: server.sizeBytes,
    database_connections: server.connections,
    database_max_connections: server.maxConnections,
    oldest_transaction_seconds: server.oldestTransactionSeconds,
  };
  const known = Object.entries(metrics).filter((each): each is [string, number] => each[1] !== null);
  return Object.fromEntries(known.map(([name, value]) => [name, Math.round(value * 1000) / 1000]));
}
