-- Up to :max unresolved error groups that began at :since or later, or failed again then after they were
-- resolved, without those merged into them, of up to 3,000 of the latest those that have events now: their
-- fingerprints, the latest first.
with recent as materialized (
  select fingerprint, began_at
  from dlq_error_groups
  where merged_into is null and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED')
    and began_at >= :since::timestamptz
  order by began_at desc limit 3000
),
-- Found by the index; the deltas are read once.
filled as materialized (
  select fingerprint as member
  from dlq_counts_exact
  where hour is null and fingerprint = any (array(
    select member from dlq_group_members where fingerprint in (select fingerprint from recent)))
  group by fingerprint
  having sum(pending + processing + failed_permanently) > 0
)
select fingerprint
from recent
where fingerprint in (select fingerprint from dlq_group_members join filled using (member))
order by began_at desc limit :max::int;
