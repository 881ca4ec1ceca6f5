-- Lists the settled events of a run by time, outcome and reason: up to a few hundred rows for a run of any
-- size.
select at, outcome, nullif(reason, '') as reason, events
from dlq_run_counts
where run_id = :runId::bigint and events > 0
order by at, outcome, reason;
