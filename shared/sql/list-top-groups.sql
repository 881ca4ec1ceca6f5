-- The error groups that failed most since :since, with what they did in the same time before it, and how many of their
-- events are open or wait for a person now. `trend` are the failures by step of :hours, of each event type by itself,
-- for those steps that have any.
--
-- The counts are read past their view, which would sum up each hour of each type first: only for the few groups that are
-- told it matters when, of what, and how it was before. Both sides are of the same types, or workers could not share them.
with hours as (
  select fingerprint, captures + returns as failures
  from dlq_counts
  where hour >= :since::timestamptz and hour < :until::timestamptz
  union all
  select fingerprint, (captures + returns)::bigint
  from dlq_changes
  where hour >= :since::timestamptz and hour < :until::timestamptz
),
top as (
  select fingerprint, sum(failures)::float as failures
  from hours
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
      event_type, floor(extract(epoch from hour - :since::timestamptz) / (3600 * :hours::int))::int as step,
      sum(captures + returns)::float as failures
    from dlq_hours
    where dlq_hours.fingerprint = top.fingerprint and hour >= :before::timestamptz and hour < :until::timestamptz
    group by event_type, step
  ) as steps
) as course on true
order by top.failures desc, top.fingerprint;
