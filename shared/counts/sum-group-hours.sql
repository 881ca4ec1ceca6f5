-- Failures and deliveries of one error group from :from until :until, by :step of whole hours counted from :since, negative before it.
select
  floor(extract(epoch from hour - :since::timestamptz) / extract(epoch from :step::interval))::int as step,
  sum(captures + recurrences)::float as failures, sum(deliveries)::float as deliveries
from dlq_counts_by_hour
where fingerprint = any (array(select member from dlq_group_members where fingerprint = :fingerprint))
  and hour >= :from::timestamptz and hour < :until::timestamptz
group by step
order by step;
