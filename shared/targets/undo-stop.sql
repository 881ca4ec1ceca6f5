-- Starts deliveries again after a stop: releases the targets that it holds still, with the ramp of each in
-- :ramps, and resumes the replays that it paused, where they were.
with stop as materialized (
  select id, at, actor, reason, details from dlq_audit where id = :auditId::bigint and action = 'stop'
),
held as materialized (
  select
    target, cause,
    array(select value::integer from json_array_elements_text(:ramps::json -> target)) as steps
  from dlq_breakers
  where held_at = (select at from stop)
  for no key update
),
paused as materialized (
  select dlq_runs.id
  from stop
  cross join jsonb_array_elements_text(details -> 'runs') as run_id
  join dlq_runs on dlq_runs.id = run_id::bigint
  where ended_at is null and paused_because = format('Stopped by %s: %s', stop.actor, stop.reason)
  for no key update of dlq_runs
),
released as (
  update dlq_breakers as breaker
  set held_at = null, held_by = null, held_reason = null, held_until = null,
      ramp = case when state = 'CLOSED' then nullif(steps, '{}') end,
      ramp_step_at = case when state = 'CLOSED' and steps <> '{}' then now() end
  from held
  where (breaker.target, breaker.cause) = (held.target, held.cause)
),
resumed as (
  update dlq_runs set paused_because = null where id = any (array(select id from paused))
),
audited as (
  insert into dlq_audit (actor, action, reason, details)
  select :actor, 'undo', :reason, jsonb_build_object('undoes', id::text, 'undone', 'stop') from stop
  where exists (select from held) or exists (select from paused)
  returning id
)
select id as undo_id from audited;
