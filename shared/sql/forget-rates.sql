-- Forgets buckets of routes and replays that have delivered nothing for a day: whoever takes from them again finds them
-- full, as they are by now.
with gone as (
  delete from dlq_rates
  where refilled_at < now() - interval '1 day'
  returning 1
)
select count(*)::int as forgotten from gone;
