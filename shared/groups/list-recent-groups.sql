-- Up to :max unresolved error groups, each with those merged into it, that began at :since or later, or
-- failed again then after they were resolved, the latest first; each with its events now, of which it has
-- some, and the fields of its latest event that select its route. Reads the latest groups in the order of an
-- index until :max of them have events.
with recent as materialized (
  select
    fingerprint, root.fingerprint || merged.members as members,
    least(root.began_at, merged.began_at) as began_at,
    greatest(root.last_seen_at, merged.last_seen_at) as last_seen_at, failures, title, open,
    failed_permanently
  from dlq_error_groups as root
  cross join lateral (
    select
      array_agg(fingerprint order by fingerprint) as members,
      min(first_seen_at) filter (where root.state <> 'REGRESSED') as began_at,
      max(last_seen_at) as last_seen_at
    from dlq_error_groups
    where merged_into = root.fingerprint
  ) as merged
  cross join lateral (
    select
      sum(pending + processing)::float8 as open, sum(failed_permanently)::float8 as failed_permanently,
      sum(captures + recurrences)::float8 as failures
    from dlq_counts_current_exact as counts
    where counts.fingerprint = any (root.fingerprint || merged.members)
  ) as own
  where merged_into is null and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
    and root.began_at >= :since::timestamptz and least(root.began_at, merged.began_at) >= :since
    and greatest(root.last_seen_at, merged.last_seen_at) >= :since
    and own.open + own.failed_permanently > 0
  order by root.began_at desc
  limit :max::int
)
select
  recent.fingerprint, members, began_at, last_seen_at, failures,
  coalesce(latest.title, recent.title) as title, open, failed_permanently,
  event_type, source_kind, source_topic, consumer_group
from recent
join {latestEvent} on true
order by began_at desc;
