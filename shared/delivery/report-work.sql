-- Keeps a slot, or frees it, and adds to its run what its worker has done beyond the report before,
-- which the slot has: a report that was committed without an answer is repeated without harm. `is_paused`: an
-- operator paused the schedule. Returns no row if another worker has the slot. The run is locked first:
-- open-tick locks in that order. If it is locked, the next report repeats this one.
with timeout as materialized (select set_config('lock_timeout', '500ms', true)),
run as materialized (
  select id, due_at from timeout cross join dlq_runs where id = :runId for no key update of dlq_runs
),
slot as materialized (
  select run_id, slot, tally, targets from run join dlq_run_workers as worker on run_id = run.id
  where slot = :slot and token = :token for update of worker
),
added as (
  update dlq_runs as run
  set tally = (
        select jsonb_object_agg(name, coalesce((run.tally ->> name)::bigint, 0) + events::bigint
          - coalesce((slot.tally ->> name)::bigint, 0))
        from jsonb_each_text(:tally::jsonb) as part (name, events)
      ),
      targets = run.targets || coalesce((
        select jsonb_object_agg(target, (
          select jsonb_object_agg(name, coalesce((run.targets -> target ->> name)::bigint, 0) + events::bigint
            - coalesce((slot.targets -> target ->> name)::bigint, 0))
          from jsonb_each_text(tally) as part (name, events)
        ))
        from jsonb_each(:targets::jsonb) as done (target, tally)
      ), '{}')
  from slot
  where run.id = slot.run_id
),
kept as (
  update dlq_run_workers as worker
  set heartbeat_at = case when :isLast then '-infinity' else now() end, tally = :tally, targets = :targets
  from slot
  where (worker.run_id, worker.slot) = (slot.run_id, slot.slot)
)
select run.due_at::text,
  exists (select from dlq_breakers where target = 'schedule' and held_until > now()) as is_paused
from run cross join slot;
