-- The :groups error groups that are not muted with most failures from the hour :since until :until, and their
-- failures by :step. With both ends of the period as conditions, a plan for any parameters would expect few
-- rows, and read all by the index, one by one.
with top as materialized (
  select coalesce(merged_into, counts.fingerprint) as fingerprint, sum(own) as total
  from dlq_counts_exact as counts
  cross join lateral (select case when hour < :until::timestamptz then failures::float8 end as own) as failed
  left join (
    select fingerprint, merged_into from dlq_error_groups where merged_into is not null
  ) as merged using (fingerprint)
  where hour >= :since::timestamptz and counts.fingerprint <> ''
  group by 1
  having sum(own) > 0 and coalesce(merged_into, counts.fingerprint) not in (
    select fingerprint from dlq_error_groups where state = 'MUTED'
  )
  order by total desc, 1
  limit :groups::int
),
members as materialized (
  select fingerprint, total, fingerprint as member from top
  union all
  select top.fingerprint, total, merged.fingerprint
  from top join dlq_error_groups as merged on merged_into = top.fingerprint
),
stepped as materialized (
  select
    fingerprint as member, sum(failures::float8) filter (where hour < :until::timestamptz) as failures,
    (extract(epoch from date_bin(:step::interval, hour, :since) - :since)
      / extract(epoch from :step::interval))::int as step
  from dlq_counts_exact
  where fingerprint = any (array(select member from members)) and hour >= :since::timestamptz
  group by member, step
)
select
  fingerprint,
  json_agg(json_build_object('step', step, 'failures', failures, 'deliveries', null) order by step) as steps
from (
  select fingerprint, total, step, sum(failures) as failures
  from members join stepped using (member)
  where failures > 0
  group by fingerprint, total, step
) as steps
group by fingerprint, total
order by total desc, fingerprint;
