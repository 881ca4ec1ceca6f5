-- The error groups that failed most since :since, with what they did in the same time before it, and how many of their
-- events are open or wait for a person now. `trend` are the failures by step of :hours, of each event type by itself,
-- for those steps that have any.
--
-- The counts are read past their view, which would sum up each hour of each type first: only for the few groups that are
-- told it matters when and of what. Both sides are of the same types, or workers could not share them.
with hours as (
  select fingerprint, hour, captures + returns as failures
  from dlq_counts
  where hour >= :before::timestamptz and hour < :until::timestamptz
  union all
  select fingerprint, hour, (captures + returns)::bigint
  from dlq_changes
  where hour >= :before::timestamptz and hour < :until::timestamptz
),
top as (
  select
    fingerprint, sum(failures) filter (where hour >= :since::timestamptz)::float as failures,
    coalesce(sum(failures) filter (where hour < :since::timestamptz), 0)::float as failures_before
  from hours
  group by fingerprint
  having sum(failures) filter (where hour >= :since::timestamptz) > 0
  order by failures desc, fingerprint
  limit :limit::int
)
select
  top.fingerprint, top.failures, top.failures_before, course.event_types, error_group.state, error_group.title,
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
  select array_agg(distinct event_type) as event_types, json_agg(json_build_array(step, failures)) as trend
  from (
    select
      event_type, extract(epoch from hour - :since::timestamptz)::int / (3600 * :hours::int) as step,
      sum(captures + returns)::float as failures
    from dlq_hours
    where dlq_hours.fingerprint = top.fingerprint and hour >= :since::timestamptz and hour < :until::timestamptz
    group by event_type, step
  ) as steps
) as course on true
order by top.failures desc, top.fingerprint;
