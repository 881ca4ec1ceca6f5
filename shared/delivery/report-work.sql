-- Adds a worker's tally to its run, in the row, so that no worker overwrites the counts of another, and keeps
-- its slot for :aliveSeconds more. `is_paused`: an operator paused the schedule. Returns no row if another
-- worker has the slot. The run is updated first: open-tick locks in that order. If it is locked, the next
-- report repeats this one.
with timeout as materialized (select set_config('lock_timeout', '500ms', true)),
run as (
  update dlq_runs as run
  set tally = (
        select jsonb_object_agg(name, coalesce((run.tally ->> name)::bigint, 0) + events::bigint)
        from jsonb_each_text(:tally::jsonb) as part (name, events)
      ),
      targets = run.targets || coalesce((
        select jsonb_object_agg(target, (
          select jsonb_object_agg(
            name, coalesce((run.targets -> target ->> name)::bigint, 0) + events::bigint)
          from jsonb_each_text(tally) as part (name, events)
        ))
        from jsonb_each(:targets::jsonb) as added (target, tally)
      ), '{}')
  from timeout
  where id = :runId
  returning id, due_at
)
update dlq_run_workers as worker
set alive_until = now() + make_interval(secs => :aliveSeconds)
from run
where worker.run_id = run.id and worker.slot = :slot and worker.token = :token
returning run.due_at::text,
  exists (select from dlq_breakers where target = 'schedule' and held_until > now()) as is_paused;
