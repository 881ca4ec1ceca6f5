-- Pauses a run on its own account, which is no act of a person: from the next claim on it gives nothing.
update dlq_runs
set paused_because = :because::text
where id = :runId::bigint and trigger = 'replay' and ended_at is null and paused_because is null;
