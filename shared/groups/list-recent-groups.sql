-- Up to :max unresolved error groups, each with those merged into it, that began at :since or later, or failed again then after they
-- were resolved, each with the fields of its latest event that select its route, and its events now. Counts, latest events and the wide
-- columns are looked up for these groups only, the latest group first, until :max of them have events: all groups are sorted.
with merged as materialized (
  select fingerprint as member, merged_into, first_seen_at, last_seen_at, failures
  from dlq_error_groups
  where merged_into is not null
),
together as (
  select
    merged_into, array_agg(member order by member) as members, min(first_seen_at) as first_seen_at,
    max(last_seen_at) as last_seen_at, sum(failures)::float8 as failures
  from merged
  group by merged_into
),
-- No index finds the deltas of a group.
deltas as materialized (
  select
    coalesce(merged_into, fingerprint) as fingerprint, sum(pending + processing)::float8 as open,
    sum(failed_permanently)::float8 as failed_permanently
  from dlq_count_deltas
  left join merged on member = fingerprint
  group by 1
),
unresolved as (
  select
    fingerprint, together.members as merged_members, together.failures as merged_failures,
    greatest(error_group.last_seen_at, together.last_seen_at) as last_seen_at,
    case state when 'REGRESSED' then state_changed_at else least(error_group.first_seen_at, together.first_seen_at) end as began_at
  from dlq_error_groups as error_group
  left join together on together.merged_into = error_group.fingerprint
  where error_group.merged_into is null and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
),
latest_first as (
  select unresolved.*, coalesce(deltas.open, 0) as open_delta, coalesce(deltas.failed_permanently, 0) as failed_permanently_delta
  from unresolved
  left join deltas using (fingerprint)
  where last_seen_at >= :since and began_at >= :since
  order by began_at desc
),
recent as materialized (
  select
    fingerprint, members, began_at, last_seen_at, merged_failures, own_open + open_delta as open,
    own_failed_permanently + failed_permanently_delta as failed_permanently
  from latest_first
  cross join lateral (select fingerprint || coalesce(merged_members, '{}') as members offset 0) as whole
  cross join lateral (
    select
      coalesce(sum((pending + processing)::float8), 0) as own_open,
      coalesce(sum(failed_permanently::float8), 0) as own_failed_permanently
    from dlq_counts_current as own
    where own.fingerprint = any (members)
  ) as depth
  where own_open + open_delta + own_failed_permanently + failed_permanently_delta > 0
  limit :max::int
)
select
  recent.fingerprint, members, began_at, recent.last_seen_at, error_group.failures + coalesce(merged_failures, 0) as failures, state,
  coalesce(latest.title, error_group.title) as title, open, failed_permanently, event_type, source_kind, source_topic, consumer_group
from recent
join dlq_error_groups as error_group using (fingerprint)
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
