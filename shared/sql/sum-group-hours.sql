-- What happened to one error group from :since until :until, in steps of :hours from :since on. The counts are read past
-- their view, which would sum up each hour of each type first.
select
  floor(extract(epoch from hour - :since::timestamptz) / (3600 * :hours::int))::int as step,
  sum(captures + returns)::float as failures, sum(deliveries)::float as deliveries
from (
  select hour, fingerprint, captures, returns, deliveries from dlq_counts
  union all
  select hour, fingerprint, captures, returns, deliveries from dlq_changes
) as hours
where fingerprint = :fingerprint and hour >= :since::timestamptz and hour < :until::timestamptz
group by step
order by step;
