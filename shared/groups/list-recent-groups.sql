-- Up to :max unresolved error groups that began at :since or later, or failed again then after they were resolved, each with the
-- fields of its latest event that select its route, and its events now.
with depths as materialized (
  select fingerprint, sum(pending + processing)::float8 as open, sum(failed_permanently)::float8 as failed_permanently
  from dlq_depths
  group by fingerprint
),
recent as (
  select *, case state when 'REGRESSED' then state_changed_at else first_seen_at end as began_at
  from dlq_error_groups
  where last_seen_at >= :since and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
)
select
  recent.fingerprint, began_at, last_seen_at, failures::float8 as failures, state, coalesce(latest.title, recent.title) as title,
  open, failed_permanently, event_type, source_kind, source_topic, consumer_group
from recent
join depths using (fingerprint)
join lateral (
  select event_type, source_kind, source_topic, consumer_group, dlq_error_title(error_class, error_reason) as title
  from dlq_events as event
  where event.fingerprint = recent.fingerprint
  order by fingerprint desc, id desc
  limit 1
) as latest on true
where began_at >= :since and open + failed_permanently > 0
order by began_at desc
limit :max::int;
