-- The :groups error groups that are not muted with most failures from the hour :since until :until, and their
-- failures by :step. With both ends of the period as conditions, a plan for any parameters would expect few
-- rows, and read all by the index, one by one.
with stepped as materialized (
  select coalesce(merged_into, counts.fingerprint) as fingerprint,
    date_bin(:step::interval, hour, :since::timestamptz) as began_at, sum(own) as failures
  from dlq_counts_exact as counts
  cross join lateral (select case when hour < :until::timestamptz then failures::float8 end as own) as failed
  left join dlq_error_groups as error_group on error_group.fingerprint = counts.fingerprint
  where hour >= :since::timestamptz and counts.fingerprint <> ''
  group by 1, 2
  having sum(own) > 0
),
top as (
  select fingerprint, sum(failures) as total
  from stepped
  where fingerprint not in (select fingerprint from dlq_error_groups where state = 'MUTED')
  group by fingerprint
  order by total desc, fingerprint
  limit :groups::int
)
select
  fingerprint, json_agg(json_build_object(
    'step', (extract(epoch from began_at - :since) / extract(epoch from :step::interval))::int,
    'failures', failures, 'deliveries', null) order by began_at) as steps
from top join stepped using (fingerprint)
group by fingerprint, total
order by total desc, fingerprint;
