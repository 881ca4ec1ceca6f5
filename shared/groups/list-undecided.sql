-- The :limit unresolved error groups with most permanent failures, by these: their fingerprints.
select own.fingerprint
from dlq_counts_exact as counts
join dlq_group_members as own on own.member = counts.fingerprint
join dlq_error_groups as root on root.fingerprint = own.fingerprint
where hour is null and failed_permanently <> 0 and root.state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
group by own.fingerprint
having sum(failed_permanently) > 0
order by sum(failed_permanently) desc, own.fingerprint
limit :limit::int;
