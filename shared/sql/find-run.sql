-- One replay: what was asked, where it stands. `done_in_leg` are the outcomes since it began or was last resumed.
select
  id, started_at, ended_at, stopped, requested_by, reason, request,
  idempotency_key, patch::text, origins, left_out, selected, selection_hash, delivered, failed, skipped, waiting, in_flight,
  recent, pace, paused_because, watch_seconds, leg_began_at,
  leg_began_with, delivered + failed - leg_began_with as done_in_leg
from dlq_runs
where id = :runId::bigint and trigger = 'replay';
