-- Moves up to :limit deltas into the sums, and creates an error group for each new fingerprint. One
-- aggregation at a time, which locks the total: two would wait for each other, so a concurrent call does
-- nothing. Fails if another session keeps a sum locked for half a second. Returns the number of deltas moved.
with turn as materialized (
  select set_config('lock_timeout', '500ms', true), coalesce(
    (select true from dlq_counts where (hour, fingerprint, event_type) is null for update skip locked),
    not exists (select from dlq_counts where (hour, fingerprint, event_type) is null)) as is_free
),
deltas as (
  delete from dlq_count_deltas
  where (select is_free from turn) and ctid = any (array(select ctid from dlq_count_deltas limit :limit::int))
  returning *
),
current as (
  insert into dlq_counts as known (event_type, fingerprint, processing, {totals})
  select event_type, fingerprint, sum(processing) * grouping(fingerprint), {totalSums}
  from deltas
  group by grouping sets ((event_type, fingerprint), (event_type), ())
  having count(*) > 0
  on conflict (hour, event_type, fingerprint, lease_expires_at) do update
  set processing = known.processing + excluded.processing, {addedTotals}
),
-- Only events in PROCESSING have a lease, and all of them do.
leases as (
  insert into dlq_counts as known (event_type, fingerprint, lease_expires_at, processing)
  select event_type, fingerprint, lease_expires_at, sum(processing)
  from deltas
  where lease_expires_at is not null
  group by event_type, fingerprint, lease_expires_at
  having sum(processing) <> 0
  on conflict (hour, event_type, fingerprint, lease_expires_at) do update
  set processing = known.processing + excluded.processing
),
ended_leases as (
  -- A statement can change a row only once: the next aggregation deletes leases that it brings to zero.
  delete from dlq_counts
  where lease_expires_at is not null and processing = 0
    and lease_expires_at not in (select lease_expires_at from deltas where lease_expires_at is not null)
),
hourly as (
  insert into dlq_counts as known (hour, event_type, fingerprint, {counts})
  select * from (
    select hour, event_type, fingerprint, {countSums}
    from deltas group by grouping sets ((hour, event_type, fingerprint), (hour))
  ) as sums
  where ({counts}) <> (0, 0, 0, 0, 0, 0)
  on conflict (hour, event_type, fingerprint, lease_expires_at) do update set {addedCounts}
),
seen as (
  insert into dlq_error_groups as known (fingerprint, sample_event_id, first_seen_at, last_seen_at)
  select fingerprint, max(sample_event_id), coalesce(min(first_seen_at), max(last_seen_at)), max(last_seen_at)
  from deltas
  where fingerprint <> '' and last_seen_at is not null
  group by fingerprint
  on conflict (fingerprint) do update
  set sample_event_id = greatest(known.sample_event_id, excluded.sample_event_id),
      first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)
)
select count(*)::int as aggregated from deltas;
