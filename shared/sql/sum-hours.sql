-- What happened from :from until :until, in steps of :hours counted from :since on: negative before it. Of the sums by hour,
-- and of what has not been folded into them yet.
select
  floor(extract(epoch from hour - :since::timestamptz) / (3600 * :hours::int))::int as step,
  sum(captures + returns)::float as failures, sum(deliveries)::float as deliveries
from (
  select hour, captures, returns, deliveries from dlq_hour_counts
  union all
  select hour, captures, returns, deliveries from dlq_changes
) as hours
where hour >= :from::timestamptz and hour < :until::timestamptz
group by step
order by step;
