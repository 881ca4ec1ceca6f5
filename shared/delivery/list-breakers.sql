-- Lists the breaker of every target that has failed or was held at least once.
select
  target, state, consecutive_failures, deliveries, failures, opened_at, probe_after,
  held_at, held_by, held_reason, held_until
from dlq_breakers
order by target;
