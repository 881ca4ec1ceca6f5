-- Takes up to :wanted events from the number that all workers of a run together may still claim. A negative :wanted
-- returns unused ones.
with run as (
  select id, least(allowance, :wanted::int) as granted from dlq_runs where id = :runId for update
)
update dlq_runs
set allowance = allowance - granted
from run
where dlq_runs.id = run.id
returning granted;
