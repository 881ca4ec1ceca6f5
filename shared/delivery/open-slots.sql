-- A run gets its slots with its first requested worker, beside the one of the worker that opened it.
insert into dlq_run_workers (run_id, slot)
select id, slot
from dlq_runs
cross join generate_series(1, :workers::int) as slot
where id = :runId and ended_at is null
on conflict (run_id, slot) do nothing;
