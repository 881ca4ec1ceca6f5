-- The error groups :fingerprints in that order, a merged one as the one that it is merged into, each with its
-- events now, its failures in all and in each of the 24 clock hours up to :until, and its latest event. The
-- recorded event may have moved to another group: it serves while no other is in dlq_events.
with whole as materialized (
  select * from dlq_groups_merged
  where fingerprint = any (
    array(select fingerprint from dlq_group_members where member = any (:fingerprints::text[])))
),
listed as materialized (select fingerprint, member from whole cross join unnest(members) as member),
types as (
  select
    listed.fingerprint, event_type, sum(pending + processing)::float8 as open,
    sum(failed_permanently)::float8 as failed_permanently, sum(failures)::float8 as failures
  from dlq_counts_exact as counts
  join listed on member = counts.fingerprint
  -- Found by the index; the deltas are read once.
  where hour is null and counts.fingerprint = any (array(select member from listed))
  group by listed.fingerprint, event_type
  having sum(pending + processing + failed_permanently + failures) > 0
),
totals as (
  select
    fingerprint, sum(open) as open, sum(failed_permanently) as failed_permanently, sum(failures) as failures,
    count(*)::int as event_type_count, to_json((array_agg(
      json_build_object('eventType', event_type, 'open', open, 'failedPermanently', failed_permanently)
      order by open + failed_permanently desc, event_type
    ))[1:20]) as event_types
  from types
  group by fingerprint
),
trends as (
  select
    fingerprint, jsonb_object_agg(ago, failures) as hours_ago, sum(failures) as daily_failures,
    sum(failures) filter (where ago < 3) as late
  from (
    select
      listed.fingerprint, sum(failures)::float8 as failures,
      (extract(epoch from date_trunc('hour', :until::timestamptz, 'UTC') - hour) / 3600)::int as ago
    from dlq_counts_exact as counts
    join listed on member = counts.fingerprint
    where counts.fingerprint = any (array(select member from listed))
      and hour > :until::timestamptz - interval '24 hours' and hour <= :until::timestamptz
    group by listed.fingerprint, ago
  ) as hours
  group by fingerprint
)
select
  fingerprint, members, state, title, said, causes, frame,
  coalesce(latest.id, whole.sample_event_id) as sample_event_id, origin, first_seen_at, began_at,
  last_seen_at, owner, note, muted_until, coalesce(failures, 0) as failures, coalesce(open, 0) as open,
  coalesce(failed_permanently, 0) as failed_permanently, coalesce(event_types, '[]') as event_types,
  coalesce(event_type_count, 0) as event_type_count, coalesce(daily_failures, 0) as failures_in_24_hours,
  {novelty} as novelty, array(
    select coalesce((hours_ago ->> ago::text)::float8, 0) from generate_series(23, 0, -1) as ago) as trend
from whole
left join totals using (fingerprint)
left join trends using (fingerprint)
left join {latestEvent} on true
order by array_position(:fingerprints::text[], fingerprint);
