-- Failures and deliveries of one error group from :from until :until by :step counted from :since, negative before it. The
-- sources are those of sum-steps.sql. The row without a step has the number of events that were read.
with members as materialized (
  select array(select member from dlq_group_members where fingerprint = :fingerprint) || :fingerprint::text as members
),
latest as materialized (
  select last_failure_at, fingerprint
  from dlq_events
  where not :isByHour::boolean and last_failure_at >= :from::timestamptz and last_failure_at < :until::timestamptz
  order by last_failure_at desc
  limit :max::int
),
steps as (
  select date_bin(:step::interval, hour, :since::timestamptz) as began_at, failures, deliveries
  from dlq_counts_hourly_exact
  where :isByHour::boolean and fingerprint = any ((select members from members)::text[])
    and hour >= :from::timestamptz and hour < :until::timestamptz
  union all
  select date_bin(:step::interval, last_failure_at, :since::timestamptz), 1, null
  from latest
  where fingerprint = any ((select members from members)::text[])
)
select
  (extract(epoch from began_at - :since) / extract(epoch from :step::interval))::int as step, sum(failures)::float8 as failures,
  sum(deliveries)::float8 as deliveries
from steps
group by began_at
union all
select null, count(*), null from latest
order by step;
