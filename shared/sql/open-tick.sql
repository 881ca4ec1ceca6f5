-- Opens a tick, unless another one is at work: its workers would only share the same load. A guard for comfort; leases
-- and tokens are what keeps two ticks at once from delivering anything twice. The lock covers two that open at once.
insert into dlq_runs (trigger, alive_until)
select 'schedule', now() + make_interval(secs => :aliveSeconds)
where pg_try_advisory_xact_lock(hashtextextended('dlq_runs', 0))
  and not exists (
    select from dlq_runs where trigger = 'schedule' and ended_at is null and alive_until > now()
  )
returning id, started_at::text;
