-- How many events there are now, by status; exact, from the counts, past their view, which would sum up each event type
-- and error group first.
select
  coalesce(sum(pending), 0)::float as pending, coalesce(sum(processing), 0)::float as processing,
  coalesce(sum(succeeded), 0)::float as succeeded, coalesce(sum(failed_permanently), 0)::float as failed_permanently,
  coalesce(sum(discarded), 0)::float as discarded
from (
  select pending, processing, succeeded, failed_permanently, discarded from dlq_totals
  union all
  select pending, processing, succeeded, failed_permanently, discarded from dlq_changes
) as depths;
