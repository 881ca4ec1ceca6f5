-- Failures and deliveries of one error group from :since until :until, in steps of :hours. Reads the count tables, not
-- their view, which would first sum up each hour of each type.
select
  floor(extract(epoch from hour - :since::timestamptz) / (3600 * :hours::int))::int as step,
  sum(captures + recurrences)::float as failures, sum(deliveries)::float as deliveries
from (
  select hour, fingerprint, captures, recurrences, deliveries from dlq_counts_hourly
  union all
  select hour, fingerprint, captures, recurrences, deliveries from dlq_count_deltas
) as hours
where fingerprint = :fingerprint and hour >= :since::timestamptz and hour < :until::timestamptz
group by step
order by step;
