-- The health of every target that has ever failed.
select target, state, consecutive_failures, deliveries, failures, opened_at, probe_after, updated_at
from dlq_breakers
order by target;
