-- A page of error groups in one of the :states, by size, by novelty or the last seen first, each with what it counts and
-- how it went in the 24 hours up to :until. The page begins behind the group :afterFingerprint with :afterKey, if given.
--
-- The sums are made of all groups, and not only of the page: there are thousands of them at most, and what comes first
-- depends on them.
with depths as materialized (
  select
    fingerprint, sum(pending + processing)::float8 as open, sum(failed_permanently)::float8 as failed_permanently,
    (array_agg(event_type order by pending + processing + failed_permanently desc, event_type))[1:5] as event_types,
    count(*)::int as event_type_count
  from dlq_depths
  group by fingerprint
),
hours as materialized (
  select
    fingerprint, sum(captures + returns)::float8 as failures, hour,
    23 - (extract(epoch from date_trunc('hour', :until::timestamptz, 'UTC') - hour) / 3600)::int as place
  from dlq_hours
  where hour > date_trunc('hour', :until::timestamptz, 'UTC') - interval '24 hours' and hour <= :until
  group by fingerprint, hour
),
days as (
  select
    fingerprint, sum(failures) as failures, sum(failures) filter (where place >= 21) as failures_of_late
  from hours
  group by fingerprint
),
groups as (
  select
    error_group.*, coalesce(depths.open, 0) as open, coalesce(depths.failed_permanently, 0) as failed_permanently,
    coalesce(depths.event_types, '{}') as event_types, coalesce(depths.event_type_count, 0) as event_type_count,
    coalesce(days.failures, 0) as failures_in_24_hours,
    case
      when state = 'RETURNED' then 'returned'
      when first_seen_at > :until::timestamptz - interval '24 hours' then 'new'
      -- In three hours more than twice what the other twenty-one make likely, and not just a handful.
      when days.failures_of_late >= 10
        and days.failures_of_late > 2 * (days.failures - days.failures_of_late) / 7 then 'growing'
    end as novelty
  from dlq_error_groups as error_group
  left join depths using (fingerprint)
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
page as (
  select *
  from (select *, coalesce(key, extract(epoch from last_seen_at)) as sort_key from ranked) as sorted
  where :afterKey::numeric is null or (sort_key, fingerprint) < (:afterKey::numeric, :afterFingerprint::text)
  order by sort_key desc, fingerprint desc
  limit :limit::int
),
trends as (
  select page.fingerprint, array_agg(coalesce(hours.failures, 0) order by places.place) as trend
  from page
  cross join generate_series(0, 23) as places (place)
  left join hours on hours.fingerprint = page.fingerprint and hours.place = places.place
  group by page.fingerprint
)
select
  fingerprint, state, title, sample_event_id, first_seen_at, last_seen_at, failures::float8 as failures, owner, note,
  state_changed_at, muted_until, muted_until_failure::float8 as muted_until_failure, muted_until_hourly,
  open, failed_permanently, event_types, event_type_count, failures_in_24_hours, novelty, sort_key::text as key, trend
from page
join trends using (fingerprint)
order by sort_key desc, fingerprint desc;
