-- Moves up to :limit deltas into the sums, and creates an error group for each new fingerprint. One aggregation at a time:
-- two would wait for each other, so a concurrent call does nothing. Fails if another session keeps a sum locked for half a second.
-- Returns the number of deltas moved.
-- aggregate-counts.ts makes {depths}, {counts}, their sums and their additions to the rows that are known.
--
-- Longer than 60 lines because the deletion of the deltas and all sums must commit together, and a statement is a transaction.
with turn as materialized (
  select dlq_begin_aggregation() as is_free, set_config('lock_timeout', '500ms', true)
),
deltas as (
  delete from dlq_count_deltas
  where (select is_free from turn) and ctid = any (array(select ctid from dlq_count_deltas limit :limit::int))
  returning *
),
current as (
  insert into dlq_counts_current as known (event_type, fingerprint, lease_expires_at, {depths})
  select event_type, fingerprint, lease_expires_at, {depthSums}
  from deltas
  group by event_type, fingerprint, lease_expires_at
  having (sum(pending), sum(processing), sum(succeeded), sum(failed_permanently), sum(discarded)) <> (0, 0, 0, 0, 0)
  on conflict (event_type, fingerprint, lease_expires_at) do update set {addedDepths}
),
ended_leases as (
  -- A statement can change a row only once: leases that it brings to zero are deleted by the next aggregation.
  delete from dlq_counts_current
  where lease_expires_at is not null and processing = 0
    and lease_expires_at not in (select lease_expires_at from deltas where lease_expires_at is not null)
),
hours as materialized (
  select hour, event_type, fingerprint, {countSums}, sum(conflicts) as conflicts
  from deltas
  where ({counts}) <> (0, 0, 0, 0, 0, 0)
  group by hour, event_type, fingerprint
),
hourly as (
  insert into dlq_counts_hourly as known (hour, event_type, fingerprint, {counts})
  select hour, event_type, fingerprint, {counts} from hours
  on conflict (hour, event_type, fingerprint) do update set {addedCounts}
),
hourly_totals as (
  insert into dlq_counts_hourly_totals as known (hour, {counts})
  select hour, {countSums} from hours group by hour
  on conflict (hour) do update set {addedCounts}
),
minutely as (
  insert into dlq_counts_minutely as known (minute, fingerprint, failures, deliveries)
  select minute, fingerprint, sum(captures + recurrences), sum(deliveries)
  from deltas
  where minute > now() - interval '1 day'
  group by grouping sets ((minute, fingerprint), (minute))
  having (sum(captures + recurrences), sum(deliveries)) <> (0, 0)
  on conflict (fingerprint, minute) do update
  set failures = known.failures + excluded.failures, deliveries = known.deliveries + excluded.deliveries
),
old_minutes as (
  delete from dlq_counts_minutely where minute < now() - interval '1 day'
),
daily as (
  insert into dlq_counts_daily as known (day, fingerprint, failures)
  select date_trunc('day', hour, 'UTC'), fingerprint, sum(captures + recurrences)
  from hours
  where captures + recurrences <> 0
  group by 1, 2
  on conflict (day, fingerprint) do update
  set failures = known.failures + excluded.failures
),
lifetime as (
  insert into dlq_counts_lifetime as known (event_type, {counts}, conflicts)
  select event_type, {countSums}, sum(conflicts) from hours group by event_type
  on conflict (event_type) do update set {addedCounts}, conflicts = known.conflicts + excluded.conflicts
),
groups as (
  select
    fingerprint, max(sample_event_id) as sample_event_id, coalesce(min(first_seen_at), max(last_seen_at)) as first_seen_at,
    max(last_seen_at) as last_seen_at, sum(captures) + sum(recurrences) as failures
  from deltas
  where fingerprint <> ''
  group by fingerprint
),
seen as (
  insert into dlq_error_groups as known (fingerprint, sample_event_id, first_seen_at, last_seen_at, failures)
  select fingerprint, sample_event_id, first_seen_at, last_seen_at, failures from groups where last_seen_at is not null
  on conflict (fingerprint) do update
  set sample_event_id = greatest(known.sample_event_id, excluded.sample_event_id),
      first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
      failures = known.failures + excluded.failures
),
left_by_events as (
  -- Groups whose events moved to another group, as their fingerprints changed.
  update dlq_error_groups as known
  set failures = known.failures + groups.failures
  from groups
  where groups.last_seen_at is null and groups.failures <> 0 and known.fingerprint = groups.fingerprint
)
select count(*)::int as aggregated from deltas;
