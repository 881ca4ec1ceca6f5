-- Deletes when breakers opened and closed, older than :days days, and the breakers of causes that nothing was
-- sent for within a week: what fails by itself is sampled by each tick. Returns the number of deleted rows.
with causes as (
  delete from dlq_breakers where cause <> 0 and updated_at < now() - interval '7 days'
  returning 1
),
purged as (
  delete from dlq_breaker_changes where at < now() - make_interval(days => :days::int)
  returning 1
)
select (select count(*)::int from purged) + (select count(*)::int from causes) as purged;
