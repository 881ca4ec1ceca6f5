-- Up to :max unresolved error groups, each with those merged into it, that began at :since or later, or failed again then after they were resolved, each with the
-- fields of its latest event that select its route, and its events now.
with depths as materialized (
  select fingerprint, sum(pending + processing)::float8 as open, sum(failed_permanently)::float8 as failed_permanently
  from (
    select coalesce(merged_into, fingerprint) as fingerprint, pending, processing, failed_permanently
    from dlq_depths
    left join dlq_error_groups using (fingerprint)
  ) as own
  group by fingerprint
),
whole as (
  select
    fingerprint, array_agg(member order by member <> fingerprint, member) as members, min(first_seen_at) as first_seen_at,
    max(last_seen_at) as last_seen_at, sum(failures)::float8 as failures
  from (
    select coalesce(merged_into, fingerprint) as fingerprint, fingerprint as member, first_seen_at, last_seen_at, failures
    from dlq_error_groups
  ) as groups
  group by fingerprint
),
recent as (
  select
    whole.*, state, title, case state when 'REGRESSED' then state_changed_at else whole.first_seen_at end as began_at
  from whole
  join dlq_error_groups as error_group using (fingerprint)
  where whole.last_seen_at >= :since and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
)
select
  recent.fingerprint, members, began_at, last_seen_at, failures, state, coalesce(latest.title, recent.title) as title,
  open, failed_permanently, event_type, source_kind, source_topic, consumer_group
from recent
join depths using (fingerprint)
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
where began_at >= :since and open + failed_permanently > 0
order by began_at desc
limit :max::int;
