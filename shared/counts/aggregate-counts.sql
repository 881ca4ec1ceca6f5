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
  insert into dlq_counts as known (event_type, fingerprint, {totals})
  select event_type, fingerprint, {totalSums}
  from deltas
  group by grouping sets ((event_type, fingerprint), (event_type), ())
  having count(*) > 0
  on conflict (hour, event_type, fingerprint) do update set {addedTotals}
),
hourly as (
  insert into dlq_counts as known (hour, event_type, fingerprint, {counts})
  select * from (
    select hour, event_type, fingerprint, {countSums}
    from deltas group by grouping sets ((hour, event_type, fingerprint), (hour))
  ) as sums
  where ({counts}) <> (0, 0, 0, 0, 0, 0)
  on conflict (hour, event_type, fingerprint) do update set {addedCounts}
),
seen as (
  insert into dlq_error_groups as known (fingerprint, sample_event_id, first_seen_at, last_seen_at)
  -- Plain SQL may have set a time in the future: the group would be new, and regress, until then.
  select fingerprint, max(sample_event_id),
    least(now(), coalesce(min(first_seen_at), max(last_seen_at))), least(now(), max(last_seen_at))
  from deltas
  where fingerprint <> '' and last_seen_at is not null
  group by fingerprint
  on conflict (fingerprint) do update
  set sample_event_id = greatest(known.sample_event_id, excluded.sample_event_id),
      first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)
)
select count(*)::int as done from deltas;
