-- Pauses, resumes or cancels a replay, from the next claim on. Returns no row if it is in that state already,
-- or has ended. A resumed run begins a new stage: the ramp starts again, and no failure before counts.
-- Deliveries in flight are still counted; events that wait in a cancelled run keep their state.
with before as (
  select id, paused_because, waiting,
    :change::text = 'resume' as is_resumed, :change = 'cancel' as is_cancelled
  from dlq_runs
  where id = :runId::bigint and trigger = 'replay' and ended_at is null
    and case :change when 'pause' then paused_because is null
      when 'resume' then paused_because is not null else true end
  for no key update
),
changed as (
  update dlq_runs as run
  set paused_because = case when is_cancelled then before.paused_because else :because::text end,
      ended_at = case when is_cancelled then now() end,
      stopped = case when is_cancelled then 'cancelled' end,
      recent = case when is_resumed then '' else run.recent end,
      stage_began_at = case when is_resumed then now() else run.stage_began_at end,
      stage_began_with = case when is_resumed then run.delivered + run.failed else run.stage_began_with end
  from before
  where run.id = before.id
),
audited as (
  insert into dlq_audit (actor, action, reason, run_id, details)
  select :actor::text, :change || ' run', :reason::text, id,
    jsonb_strip_nulls(jsonb_build_object('pausedBecause', paused_because, 'waiting', waiting))
  from before
)
select id from before;
