-- Events now, by status. Exact.
select
  coalesce(sum(pending), 0)::float8 as pending, coalesce(sum(processing), 0)::float8 as processing,
  coalesce(sum(succeeded), 0)::float8 as succeeded, coalesce(sum(discarded), 0)::float8 as discarded,
  coalesce(sum(failed_permanently), 0)::float8 as failed_permanently
from dlq_counts_totals
where hour is null and event_type is null;
