-- The error groups that failed most since :since, with what they did in the same time before it, and how many of their
-- events are open or wait for a person now. `trend` are the failures by step of :hours, for those steps that have any.
with steps as (
  select
    fingerprint, event_type, floor(extract(epoch from hour - :since::timestamptz) / (3600 * :hours::int))::int as step,
    sum(captures + returns)::float as failures
  from dlq_hours
  where hour >= :before::timestamptz and hour < :until::timestamptz
  group by fingerprint, event_type, step
),
top as (
  select
    fingerprint, coalesce(sum(failures) filter (where step >= 0), 0) as failures,
    coalesce(sum(failures) filter (where step < 0), 0) as failures_before,
    array_agg(distinct event_type) filter (where step >= 0) as event_types
  from steps
  group by fingerprint
  having sum(failures) filter (where step >= 0) > 0
  order by failures desc, fingerprint
  limit :limit::int
)
select
  top.fingerprint, top.failures, top.failures_before, top.event_types, error_group.state, error_group.title,
  error_group.owner, error_group.first_seen_at, error_group.last_seen_at, depth.open, depth.failed_permanently,
  trend.steps as trend
from top
left join dlq_error_groups as error_group using (fingerprint)
left join lateral (
  select sum(pending + processing)::float as open, sum(failed_permanently)::float as failed_permanently
  from dlq_depths
  where dlq_depths.fingerprint = top.fingerprint
) as depth on true
left join lateral (
  select json_agg(json_build_array(step, failures)) as steps
  from (
    select step, sum(failures) as failures from steps where steps.fingerprint = top.fingerprint and step >= 0 group by step
  ) as summed
) as trend on true
order by top.failures desc, top.fingerprint;
