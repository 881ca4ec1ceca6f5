-- Events now, by status. Exact. Reads the tables behind dlq_depths, which would first group by type and error group.
select
  coalesce(sum(pending), 0)::float as pending, coalesce(sum(processing), 0)::float as processing,
  coalesce(sum(succeeded), 0)::float as succeeded, coalesce(sum(failed_permanently), 0)::float as failed_permanently,
  coalesce(sum(discarded), 0)::float as discarded
from (
  select pending, processing, succeeded, failed_permanently, discarded from dlq_counts_current
  union all
  select pending, processing, succeeded, failed_permanently, discarded from dlq_count_deltas
) as depths;
