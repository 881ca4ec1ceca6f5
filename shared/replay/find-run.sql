-- Returns a replay: its request and its progress. `done_in_stage` counts the outcomes since it was started or
-- last resumed.
select
  id, started_at, ended_at, stopped, requested_by, reason, request, idempotency_key, patch::text,
  patch is not null as edited, edited_to, excluded, selected, delivered, failed, skipped,
  waiting, in_flight, recent, rollout, paused_because, stage_began_at, progressed_at, stage_began_with,
  delivered + failed - stage_began_with as done_in_stage
from dlq_runs
where id = :runId::bigint and trigger = 'replay';
