-- The last worker to leave closes a run. Fails if the run stays locked.
with timeout as materialized (select set_config('lock_timeout', '500ms', true)),
run as (
  update dlq_runs
  set ended_at = clock_timestamp(), stopped = :stopped
  from timeout
  where id = :runId and ended_at is null
    and not exists (select from dlq_run_workers as worker where run_id = :runId and {isAlive})
  returning id, tally, targets
),
slots as (
  delete from dlq_run_workers using run where run_id = run.id
)
select tally, targets from run;
