-- Opens a tick, or joins the open one and extends it to the events that are due now. The caller becomes its first worker
-- unless another worker holds slot 1. A tick without live workers is continued in this way, with a new :allowance. This
-- guard only saves work; leases and tokens prevent double delivery.
with run as (
  insert into dlq_runs as run (trigger, due_at, allowance)
  values ('schedule', now(), :allowance::int)
  on conflict (trigger) where trigger = 'schedule' and ended_at is null do update
  set due_at = excluded.due_at,
      allowance = case
        when exists (select from dlq_run_workers where run_id = run.id and alive_until > now()) then run.allowance
        else excluded.allowance
      end
  returning id, due_at
),
slots as (
  insert into dlq_run_workers as worker (run_id, slot, token, alive_until)
  select
    id, slot, case slot when 1 then :token::uuid end,
    case slot when 1 then now() + make_interval(secs => :aliveSeconds) else '-infinity' end
  from run
  cross join generate_series(1, :workers::int) as slot
  on conflict (run_id, slot) do update
  set token = excluded.token, alive_until = excluded.alive_until
  where worker.slot = 1 and worker.alive_until <= now()
  returning slot
)
select id, due_at::text, exists (select from slots where slot = 1) as is_ours from run;
