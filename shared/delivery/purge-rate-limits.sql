-- Purges token buckets that no delivery has used for a day. A bucket that is created again starts full, as
-- they are by then.
with gone as (
  delete from dlq_rates
  where refilled_at < now() - interval '1 day'
  returning 1
)
select count(*)::int as purged from gone;
