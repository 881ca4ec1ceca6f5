-- Failures and deliveries of one error group from :from until :until by :step of whole hours counted from :since, negative before it.
select
  (extract(epoch from began_at - :since::timestamptz) / extract(epoch from :step::interval))::int as step,
  sum(failures)::float8 as failures, sum(deliveries)::float8 as deliveries
from (
  select date_bin(:step::interval, hour, :since::timestamptz) as began_at, failures, deliveries
  from dlq_counts_hourly_exact
  where fingerprint = any (array(select member from dlq_group_members where fingerprint = :fingerprint))
    and hour >= :from::timestamptz and hour < :until::timestamptz
) as steps
group by began_at
order by step;
