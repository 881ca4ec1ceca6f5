-- Up to :max unresolved error groups, each with those merged into it, that began at :since or later, or
-- failed again then after they were resolved, the latest first; each with its events now, of which it has
-- some, and the fields of its latest event that select its route. Of up to 3,000 of the latest groups the
-- first :max that have events: by the sums, unless the deltas, which are read for all at once, empty a group.
-- A range of one value keeps each lookup on its index, as in latest-event.ts.
with emptied as materialized (
  select fingerprint
  from dlq_counts_exact
  where hour is null and fingerprint = any (array(select fingerprint from dlq_count_deltas))
  group by fingerprint
  having sum(pending + processing + failed_permanently) <= 0
),
recent as materialized (
  select
    fingerprint, root.fingerprint || merged.members as members, title,
    least(root.began_at, merged.began_at) as began_at,
    greatest(root.last_seen_at, merged.last_seen_at) as last_seen_at
  from (
    select * from dlq_error_groups
    where merged_into is null and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
      and began_at >= :since::timestamptz
    order by began_at desc limit 3000
  ) as root
  cross join lateral (
    select
      array_agg(fingerprint order by fingerprint) as members, max(last_seen_at) as last_seen_at,
      min(first_seen_at) filter (where root.state <> 'REGRESSED') as began_at
    from dlq_error_groups
    where merged_into = root.fingerprint
  ) as merged
  where least(root.began_at, merged.began_at) >= :since::timestamptz and exists (
    select
    from unnest(root.fingerprint || merged.members) as member
    cross join lateral (
      select from dlq_counts
      where hour is null and fingerprint between member and member
        and pending + processing + failed_permanently > 0
      limit 1
    ) as sums
    where member not in (select fingerprint from emptied))
  order by root.began_at desc limit :max::int
),
counted as materialized (
  select
    recent.fingerprint, sum(pending + processing)::float8 as open,
    sum(failed_permanently)::float8 as failed_permanently, sum(counts.failures)::float8 as failures
  from dlq_counts_exact as counts
  join (select fingerprint, unnest(members) as member from recent) as recent on member = counts.fingerprint
  where hour is null and counts.fingerprint = any (array(select unnest(members) from recent))
  group by recent.fingerprint
)
select
  recent.fingerprint, members, began_at, last_seen_at, failures,
  coalesce(latest.title, recent.title) as title, open, failed_permanently,
  event_type, source_kind, source_topic, consumer_group
from recent
join counted using (fingerprint)
join {latestEvent} on true
order by began_at desc;
