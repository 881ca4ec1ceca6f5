-- Failures and deliveries from :from until :until, by :step of whole hours counted from :since, negative before it.
select
  floor(extract(epoch from hour - :since::timestamptz) / extract(epoch from :step::interval))::int as step,
  sum(captures + recurrences)::float as failures, sum(deliveries)::float as deliveries
from (
  select hour, captures, recurrences, deliveries from dlq_counts_hourly_totals
  union all
  select hour, captures, recurrences, deliveries from dlq_count_deltas
) as hours
where hour >= :from::timestamptz and hour < :until::timestamptz
group by step
order by step;
