-- Failures and deliveries of one error group from :since until :until, in steps of :hours.
select
  floor(extract(epoch from hour - :since::timestamptz) / (3600 * :hours::int))::int as step,
  sum(captures + recurrences)::float as failures, sum(deliveries)::float as deliveries
from dlq_counts_by_hour
where fingerprint = any (array(select member from dlq_group_members where fingerprint = :fingerprint)) and hour >= :since::timestamptz and hour < :until::timestamptz
group by step
order by step;
