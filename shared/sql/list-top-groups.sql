-- The error groups that failed most from :since until :until, with what they did in the same time before it, and how many
-- of their events are open or wait for a person now. `trend` are the failures by step of :hours, for those steps that have
-- any.
--
-- The days in UTC that lie within that time are read from the sums by day, the hours around them from those by hour: of a
-- month some ten thousand rows where there would be hundreds of thousands. Both are read past the view, which would sum up
-- each hour of each type first: only for the few groups that are told it matters when, of what, and how it was before.
with days as (
  select first_day, greatest(date_trunc('day', :until::timestamptz, 'UTC'), first_day) as last_day
  from least(date_trunc('day', :since::timestamptz + interval '23 hours', 'UTC'), :until::timestamptz) as first_day
),
failed as (
  select fingerprint, failures::float8 as failures
  from dlq_day_counts
  where day >= (select first_day from days) and day < (select last_day from days)
  union all
  select fingerprint, captures + returns
  from dlq_counts
  where hour >= :since::timestamptz and hour < (select first_day from days)
  union all
  select fingerprint, captures + returns
  from dlq_counts
  where hour >= (select last_day from days) and hour < :until::timestamptz
  union all
  select fingerprint, captures + returns
  from dlq_changes
  where hour >= :since::timestamptz and hour < :until::timestamptz
),
top as (
  select fingerprint, sum(failures) as failures
  from failed
  group by fingerprint
  having sum(failures) > 0
  order by failures desc, fingerprint
  limit :limit::int
)
select
  top.fingerprint, top.failures, course.failures_before, course.event_types, error_group.state, error_group.title,
  error_group.owner, error_group.first_seen_at, error_group.last_seen_at, depth.open, depth.failed_permanently,
  course.trend
from top
left join dlq_error_groups as error_group using (fingerprint)
left join lateral (
  select sum(pending + processing)::float as open, sum(failed_permanently)::float as failed_permanently
  from dlq_depths
  where dlq_depths.fingerprint = top.fingerprint
) as depth on true
left join lateral (
  select
    array_agg(distinct event_type) filter (where step >= 0) as event_types,
    json_agg(json_build_array(step, failures)) filter (where step >= 0) as trend,
    coalesce(sum(failures) filter (where step < 0), 0) as failures_before
  from (
    select
      event_type, (extract(epoch from bin - :since::timestamptz) / (3600 * :hours::int))::int as step,
      sum(failures) as failures
    from (
      select
        event_type, date_bin(make_interval(hours => :hours::int), hour, :since::timestamptz) as bin,
        (captures + returns)::float8 as failures
      from dlq_counts
      where dlq_counts.fingerprint = top.fingerprint and hour >= :before::timestamptz and hour < :until::timestamptz
      union all
      select
        event_type, date_bin(make_interval(hours => :hours::int), hour, :since::timestamptz), captures + returns
      from dlq_changes
      where dlq_changes.fingerprint = top.fingerprint and hour >= :before::timestamptz and hour < :until::timestamptz
    ) as hours
    group by event_type, bin
  ) as steps
) as course on true
order by top.failures desc, top.fingerprint;
