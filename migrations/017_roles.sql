-- Roles: one group role per function of the product, and dlq_readonly for operators who query in SQL. All
-- rights are granted here; a test proves that each role has the rights its function needs and no other, and
-- docs/security.md lists them. A login is a member of one of them: GRANT dlq_capture TO "the-login".
-- deploy/prepare-database.sql creates the roles.

-- By default every role may execute every function. Trigger functions need no right of the role that fires
-- them.
revoke execute on function
  dlq_hash_ids, dlq_complete_event, dlq_edit_events, dlq_edit_run_events, dlq_undo_events, dlq_find_event,
  dlq_judge_capture, dlq_replace_content, dlq_change_event, dlq_add_capture, dlq_insert_events,
  dlq_capture_events, dlq_capture, dlq_why_not_now, dlq_blocked_by, dlq_count_run_outcomes, dlq_has_value,
  dlq_group_of, dlq_count_events, dlq_count_changes, dlq_recount, dlq_create_archive_partitions,
  dlq_drop_archive_month, dlq_restore_events
from public;

-- Columns that are not granted keep their defaults: no role but the owner chooses the id, lease or creation
-- time of a row. The sequence of an identity column needs no grant.

-- dlq_capture: captures by two functions. It reads and changes no event.
grant execute on function dlq_capture_events, dlq_capture to dlq_capture;

-- dlq_reporter: applications that call dlq_capture() in their own transactions.
grant execute on function dlq_capture to dlq_reporter;

-- dlq_writer: applications that insert events as the articles do.
grant insert (event_type, payload, error_reason, error_stacktrace, status, retry_after) on dlq_events
  to dlq_writer;

-- dlq_retry: claims, delivers and settles events, and runs ticks. It may neither change messages nor delete
-- events. A trigger counts the progress of a run, and its selection is never changed: no role may write
-- either.
grant select, update (
  status, retry_count, delivery_count, failed_delivery, retry_after, updated_at, processed_at, lease_token,
  lease_expires_at, failure_kind, cause, answer, error_reason, fingerprint
) on dlq_events to dlq_retry;
grant select, insert (
  event_id, run_id, number, outcome, target, started_at, duration_ms, response_status, response_body, error
) on dlq_attempts to dlq_retry;
grant select, insert, update on dlq_breakers to dlq_retry;
grant select, insert (token, run_id, target, event_ids, seconds), update (leased_at), delete on dlq_leases
  to dlq_retry;
grant select, insert (trigger, due_at, allowance), update (
  due_at, allowance, tally, targets, ended_at, stopped, paused_because
) on dlq_runs to dlq_retry;
grant select, update (
  status, is_leased, processed_at, outcome, reason, detail, settled_at
) on dlq_run_events to dlq_retry;
grant select, insert, update (token, heartbeat_at, routes, tally, targets), delete on dlq_run_workers
  to dlq_retry;
-- Edits the events of a replay with a patch: a new event each, in place of the original.
grant execute on function dlq_edit_run_events to dlq_retry;
grant execute on function dlq_blocked_by to dlq_retry, dlq_replay, dlq_console, dlq_readonly;
grant execute on function dlq_why_not_now to dlq_retry, dlq_replay, dlq_console, dlq_maintain, dlq_readonly;

-- dlq_replay and dlq_console: show all of it; discard, reopen and reprioritize events; create, pause, resume
-- and cancel replays; restore archived events; and record each action in the audit. They neither claim nor
-- deliver.
grant select, update (
  status, retry_count, retry_after, updated_at, processed_at, lease_token, lease_expires_at, priority,
  reopened_at, cause, fingerprint
) on dlq_events to dlq_replay, dlq_console;
grant select, insert (
  trigger, ended_at, stopped, requested_by, reason, request, request_hash, idempotency_key, patch,
  excluded, selected, rollout
), update (
  ended_at, stopped, paused_because, recent, stage_began_at, stage_began_with
) on dlq_runs to dlq_replay, dlq_console;
grant select, insert (run_id, event_id, position, failure_count, status) on dlq_run_events
  to dlq_replay, dlq_console;
grant execute on function dlq_restore_events, dlq_edit_events, dlq_undo_events to dlq_replay, dlq_console;
grant select on dlq_attempts, dlq_captures, dlq_events_archive to dlq_replay, dlq_console;
-- A filter finds the events that are being delivered by their leases.
grant select (target, event_ids) on dlq_leases to dlq_replay, dlq_console;
grant select, insert (actor, action, reason, run_id, closes, details) on dlq_audit to dlq_replay, dlq_console;
grant select, insert on dlq_audit_events to dlq_replay, dlq_console;
grant select on dlq_undoable to dlq_replay, dlq_console;

-- dlq_replay and dlq_console: show, hold and release targets.
grant select, insert (target, cause, held_at, held_by, held_reason, held_until),
  update (held_at, held_by, held_reason, held_until, pace, paused_until) on dlq_breakers
to dlq_replay, dlq_console;

-- dlq_replay: imports failures.
grant execute on function dlq_capture_events to dlq_replay;

-- dlq_console: shows the workers of runs, and unmasks events.
grant select on dlq_run_workers to dlq_console;
grant insert (event_id) on dlq_audit to dlq_console;

-- dlq_replay and dlq_console: error groups with those merged into them.
grant select on dlq_group_members, dlq_groups_merged to dlq_replay, dlq_console;
grant select on dlq_groups_merged to dlq_maintain;

-- dlq_retry, dlq_replay, dlq_console and dlq_maintain: fingerprints of events that plain SQL inserted, by the
-- rules of grouping; dlq_replay and dlq_console split groups.
grant execute on function dlq_group_of, dlq_has_value to dlq_retry, dlq_replay, dlq_console, dlq_maintain;

-- dlq_retry, dlq_replay, dlq_console and dlq_maintain: aggregate and read counts, and create error groups.
grant select, delete on dlq_count_deltas to dlq_retry, dlq_replay, dlq_console, dlq_maintain;
grant select, insert, update on dlq_counts to dlq_retry, dlq_replay, dlq_console, dlq_maintain;
grant select, insert, update on dlq_error_groups to dlq_retry, dlq_replay, dlq_console, dlq_maintain;
grant select on dlq_counts_exact to dlq_replay, dlq_console, dlq_maintain;
grant select on dlq_counts_totals to dlq_retry, dlq_replay, dlq_console, dlq_maintain;

-- dlq_maintain: archives closed events, purges old counts, groups and breakers, computes
-- fingerprints of events that plain SQL inserted, and measures.
grant select, update (fingerprint), delete on dlq_events to dlq_maintain;
grant select, insert on dlq_events_archive to dlq_maintain;
grant execute on function dlq_create_archive_partitions, dlq_drop_archive_month to dlq_maintain;
grant delete on dlq_counts, dlq_error_groups to dlq_maintain;
grant select, delete on dlq_breakers to dlq_maintain;
grant insert (action, details) on dlq_audit to dlq_maintain;
grant select on dlq_attempts, dlq_captures, dlq_leases, dlq_runs, dlq_run_events, dlq_breakers
  to dlq_maintain;

-- dlq_readonly: reads everything.
grant select on
  dlq_events, dlq_captures, dlq_all_captures, dlq_runs, dlq_run_workers, dlq_leases, dlq_attempts,
  dlq_breakers,
  dlq_run_events, dlq_error_groups, dlq_count_deltas,
  dlq_counts, dlq_audit, dlq_audit_events, dlq_undoable, dlq_events_archive,
  dlq_counts_exact, dlq_counts_totals,
  dlq_depths, dlq_counts_by_hour, dlq_failures_by_reason, dlq_failures_by_hour, dlq_open_by_consumer,
  dlq_needs_review,
  dlq_blocked_keys, dlq_most_retried, dlq_group_members, dlq_groups_merged, dlq_group_rules
to dlq_readonly;
