-- Adds to a run what a worker did since it last said so, and keeps its slot for :aliveSeconds more; 0 gives it up. Added
-- in the row itself, so that of two workers none overwrites the other's part. No row comes back to a worker that was
-- silent for so long that its slot is another's now. The run goes first: that is the order in which open-tick locks.
with run as (
  update dlq_runs as run
  set tally = (
        select jsonb_object_agg(name, coalesce((run.tally ->> name)::bigint, 0) + events::bigint)
        from jsonb_each_text(:tally::jsonb) as part (name, events)
      ),
      targets = run.targets || coalesce((
        select jsonb_object_agg(target, (
          select jsonb_object_agg(name, coalesce((run.targets -> target ->> name)::bigint, 0) + events::bigint)
          from jsonb_each_text(tally) as part (name, events)
        ))
        from jsonb_each(:targets::jsonb) as added (target, tally)
      ), '{}')
  where id = :runId
  returning id, due_at
)
update dlq_run_workers as worker
set alive_until = now() + make_interval(secs => :aliveSeconds)
from run
where worker.run_id = run.id and worker.slot = :slot and worker.token = :token
returning run.due_at::text;
