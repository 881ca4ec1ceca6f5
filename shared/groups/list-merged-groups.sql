-- The error groups that were merged into one, those with most failures first.
select error_group.fingerprint, title, coalesce(counts.failures, 0) as failures, last_seen_at
from dlq_error_groups as error_group
left join lateral (
  select sum(failures)::float8 as failures
  from dlq_counts_exact as counts
  where hour is null and counts.fingerprint = error_group.fingerprint
) as counts on true
where merged_into = :fingerprint
order by failures desc, error_group.fingerprint;
