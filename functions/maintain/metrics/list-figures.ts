import type { Measurement, TypeFigures } from './measure.ts';

/**
 * The measurement as flat numbers under stable names, which log-based metrics are extracted from; seconds where the name
 * says so. What cannot be known is left out.
 */
export function listFigures(measured: Measurement): Record<string, number> {
  const { types, hours, leases, runs, breakers, groups, server } = measured;
  const sum = (field: Exclude<keyof TypeFigures, 'event_type'>) =>
    types.reduce((total, type) => total + type[field], 0);
  const countBreakers = (state: string) => breakers.filter((breaker) => breaker.state === state).length;
  const countGroups = (state: string) => groups.find((each) => each.state === state)?.groups ?? 0;
  const ended = hours.delivered_24h + hours.failed_permanently_24h;
  const figures = {
    depth_pending: sum('pending'),
    depth_processing: sum('processing'),
    depth_failed_permanently: sum('failed_permanently'),
    depth_succeeded: sum('succeeded'),
    depth_discarded: sum('discarded'),
    oldest_pending_seconds: Math.max(0, ...types.map(({ age_seconds }) => age_seconds)),
    ...hours,
    permanent_failure_ratio_24h: ended === 0 ? 0 : hours.failed_permanently_24h / ended,
    expired_leases: leases.expired,
    stuck_processing: leases.stuck,
    retry_lag_seconds: measured.retryLag,
    unrouted_open: measured.unrouted,
    breakers_open: countBreakers('OPEN'),
    breakers_half_open: countBreakers('HALF_OPEN'),
    groups_open: countGroups('OPEN'),
    groups_returned: countGroups('RETURNED'),
    groups_new_24h: groups.reduce((total, each) => total + each.new, 0),
    runs_24h: runs.runs,
    stale_settles_24h: runs.stale,
    longest_run_seconds_24h: runs.longest,
    last_tick_duration_seconds: runs.last_tick_duration,
    seconds_since_last_tick: runs.since_last_tick,
    database_connections: server.connections,
    database_max_connections: server.max_connections,
    oldest_transaction_seconds: server.oldest_transaction_seconds,
  };
  const known = Object.entries(figures).filter((each): each is [string, number] => each[1] !== null);
  return Object.fromEntries(known.map(([name, figure]) => [name, Math.round(figure * 1000) / 1000]));
}
