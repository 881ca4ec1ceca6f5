-- Lists the breaker of every target that has failed at least once.
select target, state, consecutive_failures, deliveries, failures, opened_at, probe_after
from dlq_breakers
order by target;
