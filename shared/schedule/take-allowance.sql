-- Takes up to :wanted events from the number that all workers of a run together may still claim. A negative
-- :wanted returns unused ones. Fails if another session keeps the run locked for half a second.
with timeout as materialized (
  select set_config('lock_timeout', '500ms', true)
),
run as (
  select id, least(allowance, :wanted::int) as granted
  from timeout
  cross join dlq_runs
  where id = :runId
  for update of dlq_runs
)
update dlq_runs
set allowance = allowance - granted
from run
where dlq_runs.id = run.id
returning granted;
