-- Forgets sums of which nothing is left, such as those of error groups whose events went to the archive.
with gone as (
  delete from dlq_totals
  where pending = 0 and processing = 0 and succeeded = 0 and failed_permanently = 0 and discarded = 0
  returning 1
)
select count(*)::int as forgotten from gone;
