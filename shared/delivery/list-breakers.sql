-- Lists the breaker of every target that has failed at least once.
select target, state, consecutive_failures, deliveries, failures, opened_at, probe_after, updated_at
from dlq_breakers
order by target;
