-- The error groups that were merged into one, those with most failures first, each with the words of its
-- latest event.
select
  error_group.fingerprint, coalesce(latest.title, error_group.title) as title,
  coalesce(counts.failures, 0) as failures, last_seen_at
from dlq_error_groups as error_group
left join lateral (
  select sum(failures)::float8 as failures
  from dlq_counts_exact as counts
  where hour is null and counts.fingerprint = error_group.fingerprint
) as counts on true
cross join lateral (select array[error_group.fingerprint] as members) as own
left join {latestEvent} on true
where merged_into = :fingerprint
order by failures desc, error_group.fingerprint;
