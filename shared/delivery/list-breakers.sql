-- Lists the breaker of every target that has failed or was held at least once.
select
  target, state, answer, consecutive_failures, deliveries, failures, opened_at, probe_after, pace,
  paused_until, held_at, held_by, held_reason
from dlq_breakers
where cause = 0
order by target;
