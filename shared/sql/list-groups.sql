-- A page of error groups in one of the :states, by size, by novelty or the last seen first, each with what it counts and
-- how it went in the 24 hours up to :until. The page begins behind the group :afterFingerprint with :afterKey, if given.
--
-- The sums are made of all groups, and not only of the page: there are thousands of them at most, and what comes first
-- depends on them. When and of what they failed is asked of the page alone. The counts are read past their views, which
-- would sum up each hour and each type first.
with depths as materialized (
  select fingerprint, event_type, pending + processing as open, failed_permanently from dlq_totals
  union all
  select fingerprint, event_type, (pending + processing)::bigint, failed_permanently::bigint from dlq_changes
),
sums as (
  select fingerprint, sum(open)::float8 as open, sum(failed_permanently)::float8 as failed_permanently
  from depths
  group by fingerprint
),
hours as (
  select fingerprint, hour, captures + returns as failures
  from dlq_counts
  where hour > date_trunc('hour', :until::timestamptz, 'UTC') - interval '24 hours' and hour <= :until::timestamptz
  union all
  select fingerprint, hour, (captures + returns)::bigint
  from dlq_changes
  where hour > date_trunc('hour', :until::timestamptz, 'UTC') - interval '24 hours' and hour <= :until::timestamptz
),
days as (
  select
    fingerprint, sum(failures)::float8 as failures,
    sum(failures) filter (
      where hour >= date_trunc('hour', :until::timestamptz, 'UTC') - interval '2 hours'
    )::float8 as failures_of_late
  from hours
  group by fingerprint
),
groups as (
  select
    error_group.*, coalesce(sums.open, 0) as open, coalesce(sums.failed_permanently, 0) as failed_permanently,
    coalesce(days.failures, 0) as failures_in_24_hours,
    case
      when state = 'RETURNED' then 'returned'
      when first_seen_at > :until::timestamptz - interval '24 hours' then 'new'
      -- In three hours more than twice what the other twenty-one make likely, and not just a handful.
      when days.failures_of_late >= 10
        and days.failures_of_late > 2 * (days.failures - days.failures_of_late) / 7 then 'growing'
    end as novelty
  from dlq_error_groups as error_group
  left join sums using (fingerprint)
  left join days using (fingerprint)
  where state = any (:states::text[])
),
ranked as (
  select
    groups.*,
    case :order::text
      when 'size' then (open + failed_permanently)::numeric
      when 'recent' then extract(epoch from last_seen_at)
      else array_position(array['growing', 'new', 'returned'], novelty) * 1e11::numeric + extract(epoch from last_seen_at)
    end as key
  from groups
),
page as materialized (
  select *
  from (select *, coalesce(key, extract(epoch from last_seen_at)) as sort_key from ranked) as sorted
  where :afterKey::numeric is null or (sort_key, fingerprint) < (:afterKey::numeric, :afterFingerprint::text)
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
  page.fingerprint, state, title, sample_event_id, first_seen_at, last_seen_at, failures::float8 as failures, owner, note,
  state_changed_at, muted_until, muted_until_failure::float8 as muted_until_failure, muted_until_hourly,
  open, failed_permanently, coalesce(event_types, '{}') as event_types,
  coalesce(event_type_count, 0) as event_type_count, failures_in_24_hours, novelty, sort_key::text as key, trend
from page
left join types using (fingerprint)
cross join lateral (
  select array_agg(coalesce(told.failures, 0) order by place) as trend
  from generate_series(0, 23) as places (place)
  left join (
    select
      23 - extract(epoch from date_trunc('hour', :until::timestamptz, 'UTC') - hour)::int / 3600 as place,
      sum(captures + returns)::float8 as failures
    from dlq_hours
    where dlq_hours.fingerprint = page.fingerprint
      and hour > date_trunc('hour', :until::timestamptz, 'UTC') - interval '24 hours' and hour <= :until::timestamptz
    group by hour
  ) as told using (place)
) as trends
order by sort_key desc, fingerprint desc;
