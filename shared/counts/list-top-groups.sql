-- The :groups error groups that are not muted with most failures from the hour :since until :until, and their
-- failures by :step. With both ends of the period as conditions, a plan for any parameters would expect few
-- rows, and read all by the index, one by one.
with top as materialized (
  select coalesce(merged_into, counts.fingerprint) as fingerprint, sum(own) as total
  from dlq_counts_exact as counts
  cross join lateral (select case when hour < :until::timestamptz then failures::float8 end as own) as failed
  left join dlq_error_groups as error_group on error_group.fingerprint = counts.fingerprint
  where hour >= :since::timestamptz and counts.fingerprint <> ''
  group by 1
  having sum(own) > 0 and coalesce(merged_into, counts.fingerprint) not in (
    select fingerprint from dlq_error_groups where state = 'MUTED'
  )
  order by total desc, 1
  limit :groups::int
),
stepped as (
  select
    top.fingerprint, total, sum(failures::float8) as failures,
    (extract(epoch from date_bin(:step::interval, hour, :since) - :since)
      / extract(epoch from :step::interval))::int as step
  from top
  left join dlq_group_members as members using (fingerprint)
  -- A group is known some minutes after its first failure.
  join dlq_counts_exact as counts on counts.fingerprint = coalesce(member, top.fingerprint)
  where hour >= :since::timestamptz and hour < :until::timestamptz and failures > 0
  group by top.fingerprint, total, step
)
select
  fingerprint,
  json_agg(json_build_object('step', step, 'failures', failures, 'deliveries', null) order by step) as steps
from stepped
group by fingerprint, total
order by total desc, fingerprint;
