-- The :groups error groups that are not muted with most failures from the hour :since until :until, and their failures by :step.
with merged as materialized (
  select fingerprint, merged_into from dlq_error_groups where merged_into is not null
),
top as materialized (
  select coalesce(merged_into, fingerprint) as fingerprint, sum(failures) as total, array_agg(fingerprint) as members
  from (
    select fingerprint, sum(failures) as failures
    from dlq_counts_hourly_exact
    where hour >= :since::timestamptz and hour < :until::timestamptz and fingerprint <> ''
    group by fingerprint
  ) as failed
  left join merged using (fingerprint)
  where coalesce(merged_into, fingerprint) not in (select fingerprint from dlq_error_groups where state = 'MUTED')
  group by 1
  having sum(failures) > 0
  order by total desc, 1
  limit :groups::int
),
steps as (
  select fingerprint as member, date_bin(:step::interval, hour, :since::timestamptz) as began_at, failures
  from dlq_counts_hourly_exact
  where fingerprint = any (array(select unnest(members) from top)) and hour >= :since::timestamptz and hour < :until::timestamptz
)
select
  top.fingerprint, (extract(epoch from began_at - :since::timestamptz) / extract(epoch from :step::interval))::int as step,
  sum(failures)::float8 as failures, null as deliveries
from top
join steps on member = any (members)
group by top.fingerprint, total, began_at
order by total desc, top.fingerprint, step;
