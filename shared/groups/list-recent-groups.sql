-- Up to :max unresolved error groups, each with those merged into it, that began at :since or later, or failed again then after they
-- were resolved, each with the fields of its latest event that select its route, and its events now. Latest events are looked up for
-- these groups only.
with depths as materialized (
  select fingerprint, sum(pending + processing)::float8 as open, sum(failed_permanently)::float8 as failed_permanently
  from (
    select coalesce(merged_into, fingerprint) as fingerprint, pending, processing, failed_permanently
    from dlq_depths
    left join dlq_error_groups using (fingerprint)
  ) as own
  group by fingerprint
),
merged as materialized (
  select
    merged_into, array_agg(fingerprint order by fingerprint) as members, min(first_seen_at) as first_seen_at,
    max(last_seen_at) as last_seen_at, sum(failures) as failures
  from dlq_error_groups
  where merged_into is not null
  group by merged_into
),
whole as (
  select
    fingerprint, fingerprint || coalesce(merged.members, '{}') as members,
    least(error_group.first_seen_at, merged.first_seen_at) as first_seen_at,
    greatest(error_group.last_seen_at, merged.last_seen_at) as last_seen_at,
    (error_group.failures + coalesce(merged.failures, 0))::float8 as failures
  from dlq_error_groups as error_group
  left join merged on merged.merged_into = error_group.fingerprint
  where error_group.merged_into is null
),
recent as materialized (
  select *
  from (
    select
      whole.*, state, title, case state when 'REGRESSED' then state_changed_at else whole.first_seen_at end as began_at,
      open, failed_permanently
    from whole
    join dlq_error_groups as error_group using (fingerprint)
    join depths using (fingerprint)
    where whole.last_seen_at >= :since and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
  ) as unresolved
  where began_at >= :since and open + failed_permanently > 0
  order by began_at desc
  limit :max::int
)
select
  recent.fingerprint, members, began_at, last_seen_at, failures, state, coalesce(latest.title, recent.title) as title,
  open, failed_permanently, event_type, source_kind, source_topic, consumer_group
from recent
join lateral (
  select event_type, source_kind, source_topic, consumer_group, dlq_error_title(error_class, error_reason) as title
  from unnest(recent.members) as member
  cross join lateral (
    select id, event_type, source_kind, source_topic, consumer_group, error_class, error_reason
    from dlq_events as event
    where event.fingerprint = member
    order by fingerprint desc, id desc
    limit 1
  ) as event
  order by id desc
  limit 1
) as latest on true
order by began_at desc;
