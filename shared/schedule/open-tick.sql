-- Opens a tick, or joins the open one and extends it to the events that are due now. The caller becomes its
-- first worker unless another one holds slot 1. This guard only saves work; leases and tokens prevent double
-- delivery. If a lease ended some time ago and no worker has recovered its events, the workers of the run
-- make no progress, whatever their heartbeats say; and a worker with other :routes leaves events that it has
-- no route for. Then the caller gets one more slot.
with timeout as materialized (select set_config('lock_timeout', '500ms', true)),
run as (
  insert into dlq_runs as run (trigger, due_at, allowance)
  select 'schedule', now(), nullif(:allowance::int, 0) from timeout
  on conflict (trigger) where trigger = 'schedule' and ended_at is null do update
  set due_at = excluded.due_at,
      allowance = case
        when exists (select from dlq_run_workers as worker where run_id = run.id and {isAlive})
          then run.allowance
        else excluded.allowance
      end
  returning id, due_at
),
live as (
  select slot, routes from dlq_run_workers as worker where run_id = (select id from run) and {isAlive}
),
choice as (
  select case
    when not exists (select from live where slot = 1) then 1
    when exists (select from live where slot = 1 and routes <> :routes) or exists (
      select from dlq_leases where now() - leased_at > make_interval(secs => seconds + 10)
    ) then :workers::int + 1
  end as slot
  from run
),
slots as (
  insert into dlq_run_workers as worker (run_id, slot, token, heartbeat_at, routes)
  select run.id, choice.slot, :token::uuid, now(), :routes
  from run cross join choice
  where choice.slot is not null
  on conflict (run_id, slot) do update
  set (token, heartbeat_at, routes, tally, targets)
    = (excluded.token, excluded.heartbeat_at, excluded.routes, excluded.tally, excluded.targets)
  where not {isAlive}
  returning slot
)
select id, due_at::text, (select slot from slots) as slot from run;
