-- Moves up to :limit changes into the sums, and makes an error group of every fingerprint that is new. One folds at a
-- time, for two would wait for each other; whoever comes meanwhile has nothing to do. Returns how many were moved.
with turn as materialized (
  select pg_try_advisory_xact_lock(hashtextextended('dlq_changes', 0)) as is_ours
),
taken as (
  delete from dlq_changes
  where (select is_ours from turn) and ctid = any (array(select ctid from dlq_changes limit :limit::int))
  returning *
),
totals as (
  insert into dlq_totals as total (
    event_type, fingerprint, pending, processing, succeeded, failed_permanently, discarded
  )
  select
    event_type, fingerprint, sum(pending), sum(processing), sum(succeeded), sum(failed_permanently), sum(discarded)
  from taken
  group by event_type, fingerprint
  on conflict (event_type, fingerprint) do update
  set pending = total.pending + excluded.pending,
      processing = total.processing + excluded.processing,
      succeeded = total.succeeded + excluded.succeeded,
      failed_permanently = total.failed_permanently + excluded.failed_permanently,
      discarded = total.discarded + excluded.discarded
),
counts as (
  insert into dlq_counts as known (
    hour, event_type, fingerprint, captures, returns, retry_failures, deliveries, permanent_failures, discards
  )
  select
    hour, event_type, fingerprint, sum(captures), sum(returns), sum(retry_failures), sum(deliveries),
    sum(permanent_failures), sum(discards)
  from taken
  where (captures, returns, retry_failures, deliveries, permanent_failures, discards) <> (0, 0, 0, 0, 0, 0)
  group by hour, event_type, fingerprint
  on conflict (hour, event_type, fingerprint) do update
  set captures = known.captures + excluded.captures,
      returns = known.returns + excluded.returns,
      retry_failures = known.retry_failures + excluded.retry_failures,
      deliveries = known.deliveries + excluded.deliveries,
      permanent_failures = known.permanent_failures + excluded.permanent_failures,
      discards = known.discards + excluded.discards
),
counters as (
  insert into dlq_counters as counter (
    event_type, captures, returns, retry_failures, deliveries, permanent_failures, discards
  )
  select
    event_type, sum(captures), sum(returns), sum(retry_failures), sum(deliveries), sum(permanent_failures), sum(discards)
  from taken
  where (captures, returns, retry_failures, deliveries, permanent_failures, discards) <> (0, 0, 0, 0, 0, 0)
  group by event_type
  on conflict (event_type) do update
  set captures = counter.captures + excluded.captures,
      returns = counter.returns + excluded.returns,
      retry_failures = counter.retry_failures + excluded.retry_failures,
      deliveries = counter.deliveries + excluded.deliveries,
      permanent_failures = counter.permanent_failures + excluded.permanent_failures,
      discards = counter.discards + excluded.discards
),
leases as (
  insert into dlq_leases as lease (lease_expires_at, events)
  select lease_expires_at, sum(processing)
  from taken
  where lease_expires_at is not null
  group by lease_expires_at
  on conflict (lease_expires_at) do update
  set events = lease.events + excluded.events
),
ended as (
  -- What the statement itself brings to nothing is left to the next one: a row can be changed only once in each.
  delete from dlq_leases
  where events = 0 and lease_expires_at not in (select lease_expires_at from taken where lease_expires_at is not null)
),
news as (
  select
    fingerprint, max(sample_event_id) as sample_event_id, coalesce(min(first_seen_at), max(last_seen_at)) as first_seen_at,
    max(last_seen_at) as last_seen_at, sum(captures) + sum(returns) as failures
  from taken
  where fingerprint <> ''
  group by fingerprint
),
seen as (
  insert into dlq_error_groups as known (fingerprint, sample_event_id, first_seen_at, last_seen_at, failures)
  select fingerprint, sample_event_id, first_seen_at, last_seen_at, failures from news where last_seen_at is not null
  on conflict (fingerprint) do update
  set sample_event_id = greatest(known.sample_event_id, excluded.sample_event_id),
      first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
      failures = known.failures + excluded.failures
),
lost as (
  -- Their events turned out to have failed for another reason.
  update dlq_error_groups as known
  set failures = known.failures + news.failures
  from news
  where news.last_seen_at is null and news.failures <> 0 and known.fingerprint = news.fingerprint
)
select count(*)::int as folded from taken;
