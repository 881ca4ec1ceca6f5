-- The :limit error groups that are not muted, each with those merged into it, with the most failures from :since until :until, with their failures from :before until :since,
-- and their events that are open or failed permanently now. `trend` has the failures of each :step that has any. :isByMinute:
-- the steps are shorter than an hour.
--
-- Whole days (UTC) of the period are read from dlq_counts_daily, the hours around them from dlq_counts_hourly: for a month
-- some ten thousand rows instead of hundreds of thousands. Both are read instead of the view dlq_counts_by_hour, which
-- would first group by hour and type.
--
-- Longer than 60 lines because types, trend and depths are looked up for the listed groups only, in the same snapshot.
with days as (
  select first_day, greatest(date_trunc('day', :until::timestamptz, 'UTC'), first_day) as last_day
  from least(date_trunc('day', :since::timestamptz + interval '23 hours', 'UTC'), :until::timestamptz) as first_day
),
failed as (
  select fingerprint, failures::float8 as failures
  from dlq_counts_daily
  where not :isByMinute::boolean and day >= (select first_day from days) and day < (select last_day from days)
  union all
  select fingerprint, captures + recurrences
  from dlq_counts_hourly
  where not :isByMinute::boolean and hour >= :since::timestamptz and hour < (select first_day from days)
  union all
  select fingerprint, captures + recurrences
  from dlq_counts_hourly
  where not :isByMinute::boolean and hour >= (select last_day from days) and hour < :until::timestamptz
  union all
  select fingerprint, captures + recurrences
  from dlq_count_deltas
  where not :isByMinute::boolean and hour >= :since::timestamptz and hour < :until::timestamptz
  union all
  select fingerprint, failures
  from dlq_counts_minutely
  where :isByMinute::boolean and fingerprint is not null and minute >= :since::timestamptz and minute < :until::timestamptz
  union all
  select fingerprint, captures + recurrences
  from dlq_count_deltas
  where :isByMinute::boolean and minute >= :since::timestamptz and minute < :until::timestamptz
),
top as (
  select coalesce(merged_into, fingerprint) as fingerprint, sum(failed.failures) as failures
  from failed
  left join (select fingerprint, merged_into from dlq_error_groups where merged_into is not null) as merged using (fingerprint)
  where coalesce(merged_into, fingerprint) not in (select fingerprint from dlq_error_groups where state = 'MUTED')
  group by 1
  having sum(failed.failures) > 0
  order by failures desc, fingerprint
  limit :limit::int
)
select
  top.fingerprint, top.failures, history.failures_before,
  -- Minutes have no types, and a group whose events were deleted before they were aggregated has no depths.
  coalesce(case when :isByMinute::boolean then depth.event_types else history.event_types end, '{}') as event_types, error_group.state,
  coalesce(latest.title, error_group.title) as title, error_group.causes, error_group.frame,
  error_group.first_seen_at, error_group.last_seen_at, depth.open, depth.failed_permanently, history.trend
from top
left join dlq_error_groups as error_group using (fingerprint)
cross join lateral (
  select array(select merged.fingerprint from dlq_error_groups as merged where merged.merged_into = top.fingerprint) || top.fingerprint
    as members
) as whole
left join lateral dlq_latest_event(whole.members) as latest on true
left join lateral (
  select sum(pending + processing)::float as open, sum(failed_permanently)::float as failed_permanently,
    array_agg(distinct event_type) as event_types
  from dlq_depths
  where dlq_depths.fingerprint = any (members)
) as depth on true
left join lateral (
  select
    array_agg(distinct event_type) filter (where step >= 0) as event_types,
    json_agg(json_build_array(step, failures)) filter (where step >= 0) as trend,
    coalesce(sum(failures) filter (where step < 0), 0) as failures_before
  from (
    select
      event_type, (extract(epoch from bin - :since::timestamptz) / extract(epoch from :step::interval))::int as step,
      sum(failures) as failures
    from (
      select
        event_type, date_bin(:step::interval, hour, :since::timestamptz) as bin, (captures + recurrences)::float8 as failures
      from dlq_counts_hourly
      where not :isByMinute::boolean and dlq_counts_hourly.fingerprint = any (members) and hour >= :before::timestamptz and hour < :until::timestamptz
      union all
      select
        event_type, date_bin(:step::interval, hour, :since::timestamptz), captures + recurrences
      from dlq_count_deltas
      where not :isByMinute::boolean and dlq_count_deltas.fingerprint = any (members)
        and hour >= :before::timestamptz and hour < :until::timestamptz
      union all
      select null, date_bin(:step::interval, minute, :since::timestamptz), failures
      from dlq_counts_minutely
      where :isByMinute::boolean and dlq_counts_minutely.fingerprint = any (members)
        and minute >= :before::timestamptz and minute < :until::timestamptz
      union all
      select null, date_bin(:step::interval, minute, :since::timestamptz), captures + recurrences
      from dlq_count_deltas
      where :isByMinute::boolean and dlq_count_deltas.fingerprint = any (members)
        and minute >= :before::timestamptz and minute < :until::timestamptz
    ) as hours
    group by event_type, bin
  ) as steps
) as history on true
order by top.failures desc, top.fingerprint;
