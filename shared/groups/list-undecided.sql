-- The :limit unresolved error groups with most permanent failures, by these: their fingerprints.
select coalesce(own.merged_into, own.fingerprint) as fingerprint
from dlq_counts_current_exact as counts
join dlq_error_groups as own using (fingerprint)
join dlq_error_groups as root on root.fingerprint = coalesce(own.merged_into, own.fingerprint)
where failed_permanently <> 0 and root.state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
group by 1
having sum(failed_permanently) > 0
order by sum(failed_permanently) desc, 1
limit :limit::int;
