-- Each caller skips slots that another one is taking. A time further ahead than a heartbeat sets is over.
update dlq_run_workers as worker
set token = :token, alive_until = now() + make_interval(secs => :aliveSeconds), routes = :routes,
    tally = '{}', targets = '{}'
from dlq_runs as run
where run.id = worker.run_id and run.ended_at is null
  and (worker.run_id, worker.slot) = (
    select run_id, slot
    from dlq_run_workers
    where run_id = :runId and slot <= :workers::int
      and alive_until not between now() and now() + make_interval(secs => 3 * :aliveSeconds)
    order by slot limit 1
    for update skip locked
  )
returning worker.slot, run.trigger, run.due_at::text;
