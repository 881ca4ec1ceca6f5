-- Deletes the breakers of causes without a sample within a week, the rate limits of routes without a delivery
-- within a week, and the breakers of targets that no route names and nobody holds.
with breakers as (
  delete from dlq_breakers
  where updated_at < now() - interval '7 days'
    and (cause <> 0 or target <> all (:targets::text[])) and (held_until > now()) is not true
  returning 1
)
select count(*)::int as breakers from breakers;
