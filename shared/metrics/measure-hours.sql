-- Counts of the last hour and of the last 24. The clock hour in which such a period begins counts with the share of
-- it that lies within the period, as if its events were spread evenly.
select
  coalesce(round(sum(captures * of_hour)), 0)::float8 as captured_1h,
  coalesce(round(sum(deliveries * of_hour)), 0)::float8 as succeeded_1h,
  coalesce(round(sum(captures * of_day)), 0)::float8 as captured_24h,
  coalesce(round(sum(recurrences * of_day)), 0)::float8 as recurrences_24h,
  coalesce(round(sum(deliveries * of_day)), 0)::float8 as delivered_24h,
  coalesce(round(sum(permanent_failures * of_day)), 0)::float8 as failed_permanently_24h,
  coalesce(round(sum(discards * of_day)), 0)::float8 as discarded_24h
from dlq_failures_by_hour
cross join lateral (
  select
    least(1, greatest(0, 1 - extract(epoch from now() - interval '1 hour' - hour) / 3600)) as of_hour,
    least(1, greatest(0, 1 - extract(epoch from now() - interval '24 hours' - hour) / 3600)) as of_day
) as shares
where hour > now() - interval '25 hours';
