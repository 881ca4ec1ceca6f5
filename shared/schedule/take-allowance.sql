-- All workers of a run share its allowance. A negative :wanted returns unused events. Fails if the run stays
-- locked.
with timeout as materialized (select set_config('lock_timeout', '500ms', true)),
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
