-- Deletes current counts that are zero, such as those of error groups whose events were archived.
with purged as (
  delete from dlq_counts_current
  where pending = 0 and processing = 0 and succeeded = 0 and failed_permanently = 0 and discarded = 0
  returning 1
)
select count(*)::int as purged from purged;
