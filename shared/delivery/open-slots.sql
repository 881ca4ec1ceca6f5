-- A tick has its slots from the start, a replay gets them with its first requested worker.
insert into dlq_run_workers (run_id, slot)
select id, slot
from dlq_runs
cross join generate_series(1, :workers::int) as slot
where id = :runId and ended_at is null
on conflict (run_id, slot) do nothing;
