-- Up to :max unresolved error groups, each with those merged into it, that began at :since or later, or failed again then after they
-- were resolved, the latest first; each with its events now, of which it has some, and the fields of its latest event that select
-- its route.
with merged as materialized (
  select fingerprint, merged_into from dlq_error_groups where merged_into is not null
),
counts as materialized (
  select
    coalesce(merged_into, fingerprint) as fingerprint, sum(pending + processing)::float8 as open,
    sum(failed_permanently)::float8 as failed_permanently, sum(captures + recurrences)::float8 as failures
  from dlq_counts_current_exact
  left join merged using (fingerprint)
  group by 1
  having sum(pending + processing + failed_permanently) > 0
),
recent as materialized (
  select
    fingerprint, root.fingerprint || own.members as members, least(root.began_at, own.began_at) as began_at,
    greatest(root.last_seen_at, own.last_seen_at) as last_seen_at, failures, state, title, open, failed_permanently
  from dlq_error_groups as root
  join counts using (fingerprint)
  cross join lateral (
    select
      array_agg(fingerprint order by fingerprint) as members, min(first_seen_at) filter (where root.state <> 'REGRESSED') as began_at,
      max(last_seen_at) as last_seen_at
    from dlq_error_groups
    where merged_into = root.fingerprint
  ) as own
  where merged_into is null and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED') and root.began_at >= :since::timestamptz
    and least(root.began_at, own.began_at) >= :since and greatest(root.last_seen_at, own.last_seen_at) >= :since
  order by root.began_at desc
  limit :max::int
)
select
  recent.fingerprint, members, began_at, last_seen_at, failures, state, coalesce(latest.title, recent.title) as title, open,
  failed_permanently, event_type, source_kind, source_topic, consumer_group
from recent
join lateral dlq_latest_event(members) as latest on true
order by began_at desc;
