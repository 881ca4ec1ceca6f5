-- Up to :max unresolved error groups, each with those merged into it, that began at :since or later, or
-- failed again then after they were resolved, the latest first; each with its events now, of which it has
-- some, and the fields of its latest event that select its route. Reads the latest groups in the order of an
-- index until :max of them have events: by the sums, unless the deltas, which are read for all at once, empty
-- a group.
with emptied as materialized (
  select fingerprint
  from dlq_counts_current_exact
  where fingerprint = any (array(select fingerprint from dlq_count_deltas))
  group by fingerprint
  having sum(pending + processing + failed_permanently) <= 0
),
recent as materialized (
  select
    fingerprint, root.fingerprint || merged.members as members,
    least(root.began_at, merged.began_at) as began_at,
    greatest(root.last_seen_at, merged.last_seen_at) as last_seen_at, title
  from dlq_error_groups as root
  cross join lateral (
    select
      array_agg(fingerprint order by fingerprint) as members,
      min(first_seen_at) filter (where root.state <> 'REGRESSED') as began_at,
      max(last_seen_at) as last_seen_at
    from dlq_error_groups
    where merged_into = root.fingerprint
  ) as merged
  where merged_into is null and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
    and root.began_at >= :since::timestamptz and least(root.began_at, merged.began_at) >= :since
    and greatest(root.last_seen_at, merged.last_seen_at) >= :since
    and exists (
      select from dlq_counts
      where hour is null and dlq_counts.fingerprint = any (root.fingerprint || merged.members)
        and pending + processing + failed_permanently > 0
        and dlq_counts.fingerprint not in (select fingerprint from emptied)
      -- Looked up for each group: without the offset, all sums may be compared with each.
      offset 0)
  order by root.began_at desc
  limit :max::int
),
listed as materialized (select fingerprint, member from recent cross join unnest(members) as member),
counted as materialized (
  select
    listed.fingerprint, sum(pending + processing)::float8 as open,
    sum(failed_permanently)::float8 as failed_permanently, sum(captures + recurrences)::float8 as failures
  from dlq_counts_current_exact as counts
  join listed on member = counts.fingerprint
  where counts.fingerprint = any (array(select member from listed))
  group by listed.fingerprint
)
select
  recent.fingerprint, members, began_at, last_seen_at, failures,
  coalesce(latest.title, recent.title) as title, open, failed_permanently,
  event_type, source_kind, source_topic, consumer_group
from recent
join counted using (fingerprint)
join {latestEvent} on true
order by began_at desc;
