-- Makes the slots of an open run that are missing: a tick has its own from the beginning, a replay gets them with its first worker.
insert into dlq_run_workers (run_id, slot)
select id, slot
from dlq_runs
cross join generate_series(1, :workers::int) as slot
where id = :runId and ended_at is null
on conflict (run_id, slot) do nothing;
