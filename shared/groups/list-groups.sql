-- A page of error groups in one of the :states, by size, by novelty or latest first, each with its counts and its failures
-- in the 24 hours up to :until. The page begins after the group :afterFingerprint with :afterKey, if given. The groups
-- :folded are left out: they are listed as incidents.
--
-- The sums of all groups are computed, of at most some thousands: the order depends on them. Types and trend are computed for
-- the page only. The tables are read instead of their views, which would first group by hour and type.
--
-- Longer than 60 lines because the page is chosen by sums that its rows show, in the same snapshot.
with depths as materialized (
  select fingerprint, event_type, (pending + processing)::float8 as open, failed_permanently::float8 as failed_permanently
  from dlq_counts_current
  union all
  select fingerprint, event_type, pending + processing, failed_permanently from dlq_count_deltas
),
sums as (
  select fingerprint, sum(open) as open, sum(failed_permanently) as failed_permanently
  from depths
  group by fingerprint
),
hours as not materialized (
  select fingerprint, hour, (captures + recurrences)::float8 as failures
  from dlq_counts_hourly
  where hour > :until::timestamptz - interval '24 hours' and hour <= :until::timestamptz
  union all
  select fingerprint, hour, captures + recurrences
  from dlq_count_deltas
  where hour > :until::timestamptz - interval '24 hours' and hour <= :until::timestamptz
),
late as (
  select fingerprint, sum(failures) as failures
  from hours
  where hour > :until::timestamptz - interval '3 hours'
  group by fingerprint
  having sum(failures) >= 10
),
-- At least 10 failures in the last 3 hours, and more than twice the rate of the 21 hours before.
growing as (
  select late.fingerprint
  from late
  join hours using (fingerprint)
  group by late.fingerprint, late.failures
  having late.failures > 2 * (sum(hours.failures) - late.failures) / 7
),
groups as (
  select
    error_group.*, coalesce(sums.open, 0) as open, coalesce(sums.failed_permanently, 0) as failed_permanently,
    case
      when state = 'REGRESSED' then 'regressed'
      when first_seen_at > :until::timestamptz - interval '24 hours' then 'new'
      when growing.fingerprint is not null then 'growing'
    end as novelty
  from dlq_error_groups as error_group
  left join sums using (fingerprint)
  left join growing using (fingerprint)
  where state = any (:states::text[]) and error_group.fingerprint <> all (:folded::text[])
),
ranked as (
  select
    groups.*,
    case :order::text
      when 'size' then open + failed_permanently
      when 'recent' then date_part('epoch', last_seen_at)
      else array_position(array['growing', 'new', 'regressed'], novelty) * 1e11 + date_part('epoch', last_seen_at)
    end as key
  from groups
),
page as materialized (
  select *
  from (select *, coalesce(key, date_part('epoch', last_seen_at)) as sort_key from ranked) as sorted
  where :afterKey::float8 is null or (sort_key, fingerprint) < (:afterKey::float8, :afterFingerprint::text)
  order by sort_key desc, fingerprint desc
  limit :limit::int
),
types as (
  select
    fingerprint, (array_agg(event_type order by waiting desc, event_type))[1:5] as event_types,
    count(*)::int as event_type_count
  from (
    select fingerprint, event_type, sum(depths.open + depths.failed_permanently) as waiting
    from page
    join depths using (fingerprint)
    group by fingerprint, event_type
  ) as waiting
  group by fingerprint
)
select
  page.fingerprint, state, coalesce(latest.title, page.title) as title, causes, frame, first_seen_at, last_seen_at, failures::float8 as failures, owner, open,
  failed_permanently, coalesce(event_types, '{}') as event_types, coalesce(event_type_count, 0) as event_type_count,
  failures_in_24_hours, trend, novelty, sort_key::text as key
from page
left join types using (fingerprint)
left join lateral (
  select dlq_error_title(error_class, error_reason) as title
  from dlq_events as event
  where event.fingerprint = page.fingerprint
  order by fingerprint desc, id desc
  limit 1
) as latest on true
cross join lateral (
  select array_agg(coalesce(hourly.failures, 0) order by position) as trend, coalesce(sum(hourly.failures), 0) as failures_in_24_hours
  from generate_series(0, 23) as positions (position)
  left join (
    select
      23 - extract(epoch from date_trunc('hour', :until::timestamptz, 'UTC') - hour)::int / 3600 as position,
      sum(failures) as failures
    from hours
    where hours.fingerprint = page.fingerprint
    group by hour
  ) as hourly using (position)
) as trends
order by sort_key desc, fingerprint desc;
