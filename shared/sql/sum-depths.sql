-- How many events there are now, by status; exact, from the counts.
select
  coalesce(sum(pending), 0)::float as pending, coalesce(sum(processing), 0)::float as processing,
  coalesce(sum(succeeded), 0)::float as succeeded, coalesce(sum(failed_permanently), 0)::float as failed_permanently,
  coalesce(sum(discarded), 0)::float as discarded
from dlq_depths;
