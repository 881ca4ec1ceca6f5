-- Deletes when breakers opened and closed, older than :days days; the breakers of causes that nothing was
-- sent for within a week, as what fails by itself is sampled by each tick; and those of targets that no route
-- names and nobody holds, a week after their last change. Returns the number of deleted rows.
with breakers as (
  delete from dlq_breakers
  where updated_at < now() - interval '7 days'
    and (cause <> 0 or target <> all (:targets::text[])) and (held_until > now()) is not true
  returning 1
),
changes as (
  delete from dlq_breaker_changes where at < now() - make_interval(days => :days::int)
  returning 1
)
select (select count(*)::int from changes) as changes, (select count(*)::int from breakers) as breakers;
