-- Each caller skips slots that another one is taking.
update dlq_run_workers as worker
set token = :token, heartbeat_at = now(), routes = :routes, tally = '{}', targets = '{}'
from dlq_runs as run
where run.id = worker.run_id and run.ended_at is null
  and (worker.run_id, worker.slot) = (
    select run_id, slot
    from dlq_run_workers as worker
    where run_id = :runId and slot <= :workers::int and not {isAlive}
    order by slot limit 1
    for update skip locked
  )
returning worker.slot, run.trigger, run.due_at::text;
