-- Takes up to :wanted events from what a run may still claim, all its workers together. A negative :wanted gives back what
-- was taken and not needed.
with run as (
  select id, least(allowance, :wanted::int) as granted from dlq_runs where id = :runId for update
)
update dlq_runs
set allowance = allowance - granted
from run
where dlq_runs.id = run.id
returning granted;
