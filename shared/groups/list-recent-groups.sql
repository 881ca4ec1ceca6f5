-- Up to :max unresolved error groups, each with those merged into it, that began at :since or later, or failed again then after they
-- were resolved, each with the fields of its latest event that select its route, and its events now. Reads the latest groups in the
-- order of an index until :max of them have events: each of its joins is a lookup, which keeps that order. Groups whose deltas may cancel
-- their counts are read in addition, and left out at the end.
with deltas as materialized (
  select member.fingerprint, sum(pending + processing)::float8 as open, sum(failed_permanently)::float8 as failed_permanently
  from dlq_count_deltas as delta
  join dlq_group_members as member on member = delta.fingerprint
  group by 1
),
recent as materialized (
  select
    fingerprint, root.fingerprint || merged.members as members, least(root.began_at, merged.began_at) as began_at,
    greatest(root.last_seen_at, merged.last_seen_at) as last_seen_at, root.failures + coalesce(merged.failures, 0) as failures,
    state, title, own.open, own.failed_permanently
  from dlq_error_groups as root
  cross join lateral (
    select
      array_agg(fingerprint order by fingerprint) as members, min(first_seen_at) filter (where root.state <> 'REGRESSED') as began_at,
      max(last_seen_at) as last_seen_at, sum(failures)::float8 as failures
    from dlq_error_groups
    where merged_into = root.fingerprint
  ) as merged
  cross join lateral (
    select
      coalesce(sum((pending + processing)::float8), 0) as open, coalesce(sum(failed_permanently::float8), 0) as failed_permanently
    from dlq_counts_current
    where dlq_counts_current.fingerprint = any (root.fingerprint || merged.members)
  ) as own
  where merged_into is null and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED') and root.began_at >= :since::timestamptz
    and least(root.began_at, merged.began_at) >= :since and greatest(root.last_seen_at, merged.last_seen_at) >= :since
    and (own.open + own.failed_permanently > 0 or fingerprint in (select fingerprint from deltas))
  order by root.began_at desc
  limit :max::int + (select count(*) from deltas where open + failed_permanently <= 0)
)
select
  recent.fingerprint, members, began_at, last_seen_at, failures, state,
  coalesce(latest.title, recent.title) as title,
  recent.open + coalesce(deltas.open, 0) as open, recent.failed_permanently + coalesce(deltas.failed_permanently, 0) as failed_permanently,
  event_type, source_kind, source_topic, consumer_group
from recent
left join deltas using (fingerprint)
join lateral dlq_latest_event(members) as latest on true
where recent.open + recent.failed_permanently + coalesce(deltas.open + deltas.failed_permanently, 0) > 0
order by began_at desc
limit :max::int;
