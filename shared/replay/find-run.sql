-- Returns a replay: its request and its progress. `done_in_stage` counts the outcomes since it was started or
-- last resumed.
select {runColumns}, idempotency_key, patch::text, edited_to, excluded, recent, stage_began_at, progressed_at,
  stage_began_with, delivered + failed - stage_began_with as done_in_stage, rollout,
  coalesce((rollout ->> 'notAfter')::timestamptz <= now(), false) as is_over
from dlq_runs
where id = :runId::bigint and trigger = 'replay';
