-- A stop also pauses each replay that is not paused, and names what it held and paused, so that an undo
-- brings back exactly this. Returns no row if all of it is held and paused already.
with held as (
  insert into dlq_breakers as breaker (target, cause, held_at, held_by, held_reason, held_until)
  select target, cause, now(), :actor, :reason, coalesce(:until::timestamptz, 'infinity')
  from records(:holds) as wanted (target text, cause bigint)
  on conflict (target, cause) do update
  set held_at = excluded.held_at, held_by = excluded.held_by, held_reason = excluded.held_reason,
      held_until = excluded.held_until
  where (breaker.held_until > now()) is not true
  returning target, cause
),
paused as (
  update dlq_runs
  set paused_because = format('Stopped by %s: %s', :actor::text, :reason::text)
  where :action::text = 'stop' and trigger = 'replay' and ended_at is null and paused_because is null
  returning id
)
insert into dlq_audit (actor, action, reason, details)
select :actor, :action, :reason, jsonb_strip_nulls(jsonb_build_object(
  'target', :target::text, 'until', :until::timestamptz,
  'targets', nullif(array(select target from held where target <> :target order by target), '{}'),
  'runs', nullif(array(select id::text from paused order by id), '{}')))
where exists (select from held) or exists (select from paused)
returning id;
