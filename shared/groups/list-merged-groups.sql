-- The error groups that were merged into one, those with most failures first.
select error_group.fingerprint, title, coalesce(sum(failures), 0)::float8 as failures, last_seen_at
from dlq_error_groups as error_group
left join dlq_counts_exact as counts on hour is null and counts.fingerprint = error_group.fingerprint
where merged_into = :fingerprint
group by error_group.fingerprint
order by failures desc, error_group.fingerprint;
