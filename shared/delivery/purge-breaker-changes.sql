-- Deletes when breakers opened and closed, older than :days days. Returns the number of deleted rows.
with purged as (
  delete from dlq_breaker_changes where at < now() - make_interval(days => :days::int)
  returning 1
)
select count(*)::int as purged from purged;
