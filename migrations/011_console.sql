-- What the console shows, and what people do in it. It does as replay does, but that it delivers nothing itself: it
-- neither claims events nor records attempts, outcomes or the health of targets.

grant select on dlq_events, dlq_events_archive, dlq_attempts, dlq_runs, dlq_run_events, dlq_audit, dlq_audit_events,
  dlq_breakers to dlq_console;

-- Whoever looks at the sums folds them first, and wakes the groups whose time has come.
grant select, delete on dlq_changes to dlq_console;
grant select, insert, update on dlq_totals, dlq_counts, dlq_counters, dlq_error_groups to dlq_console;
grant select, insert, update, delete on dlq_leases to dlq_console;
grant select on dlq_depths, dlq_hours to dlq_console;

-- Runs: made, paused, resumed, cancelled.
grant insert (
  trigger, ended_at, stopped, requested_by, reason, request, request_hash, idempotency_key, patch, origins,
  left_out, selected, selection_hash, pace, watch_seconds
), update (ended_at, stopped, paused_because, recent, pace, leg_began_at, leg_began_with) on dlq_runs to dlq_console;
grant insert (run_id, event_id, place, failure_count, status) on dlq_run_events to dlq_console;
grant insert on dlq_run_edits to dlq_console;
grant execute on function dlq_obstacle to dlq_console;

-- Events: discarded, reopened, reprioritised, brought back from the archive.
grant update (
  status, retry_count, retry_after, updated_at, processed_at, lease_token, lease_expires_at, priority
) on dlq_events to dlq_console;
grant execute on function dlq_restore_events to dlq_console;

-- Each with who and why, and to which events.
grant insert (actor, act, reason, run_id, event_id, closes, details) on dlq_audit to dlq_console;
grant insert on dlq_audit_events to dlq_console;
