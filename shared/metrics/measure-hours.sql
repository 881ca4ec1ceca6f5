-- Counts of 24 clock hours, this one and the 23 before, as charts have them, and of the last hour: the clock
-- hour in which that began counts with the share of it that lies within, as if its events were spread evenly.
select
  coalesce(round(sum(captures * share)), 0)::float8 as captured_1h,
  coalesce(round(sum(deliveries * share)), 0)::float8 as succeeded_1h,
  coalesce(sum(captures), 0)::float8 as captured_24h,
  coalesce(sum(recurrences), 0)::float8 as recurrences_24h,
  coalesce(sum(deliveries), 0)::float8 as delivered_24h,
  coalesce(sum(permanent_failures), 0)::float8 as failed_permanently_24h,
  coalesce(sum(discards), 0)::float8 as discarded_24h,
  coalesce(sum(permanent_failures)::float8 / nullif(sum(deliveries + permanent_failures), 0), 0)
    as permanent_failure_ratio
from dlq_counts_totals
cross join lateral (
  select least(1, greatest(0, 1 - extract(epoch from now() - interval '1 hour' - hour) / 3600)) as share
) as of_last_hour
where hour > now() - interval '24 hours';
