-- Pauses a run by the decision of its rollout; the audit records only actions of operators. Takes effect at
-- the next claim.
update dlq_runs
set paused_because = :because::text
where id = :runId::bigint and trigger = 'replay' and ended_at is null and paused_because is null;
