-- Deletes the breakers of causes that nothing was sent for within a week, as what fails by itself is sampled
-- by each tick; the rate limits of routes that had no delivery within a week: one that is created again
-- starts full; and the breakers of targets that no route names and nobody holds, a week after their last
-- change. Returns the number of deleted rows.
with breakers as (
  delete from dlq_breakers
  where updated_at < now() - interval '7 days'
    and (cause <> 0 or target <> all (:targets::text[])) and (held_until > now()) is not true
  returning 1
)
select count(*)::int as breakers from breakers;
