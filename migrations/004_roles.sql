-- One group role per function, with what its statements need and no more: a statement that is new brings its grant
-- in the same migration. A login gets exactly one of them: GRANT dlq_capture TO "the-login". Roles belong to the
-- whole server: another database may have made them, or be making them right now. Who may not create roles can
-- migrate where they exist.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['dlq_capture', 'dlq_retry', 'dlq_replay', 'dlq_console', 'dlq_maintain', 'dlq_readonly'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin', wanted);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
  end loop;
end
$$;

-- An identity column's sequence needs no grant: INSERT is enough. Columns that nobody is granted keep their defaults:
-- no row can come with an id, a lease, a priority or a date of its writer's choosing.

-- capture adds events and completes them with facts that a later capture brings. status and retry_after are there
-- for consumers that write their failures themselves.
grant select on dlq_events to dlq_capture;
grant insert (
  event_key, carrier_id, event_type, event_id, payload, payload_encoding, body, content_type, headers,
  error_reason, error_stacktrace, error_class, source_kind, source_topic, source_partition, source_offset, source_key,
  source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id, occurred_at, metadata, failure_count, status,
  retry_after, fingerprint
) on dlq_events to dlq_capture;
grant update (
  carrier_id, error_reason, error_stacktrace, error_class, source_topic, source_partition, source_offset, source_key,
  source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id, occurred_at, metadata, last_failure_at,
  failure_count, status, retry_after, processed_at, updated_at, fingerprint
) on dlq_events to dlq_capture;

-- retry and replay move events through their states and can neither change what they are nor remove them.
grant select, update (
  status, retry_count, retry_after, updated_at, processed_at, lease_token, lease_expires_at, failure_kind, error_reason,
  fingerprint
) on dlq_events to dlq_retry, dlq_replay;
grant insert (
  event_id, run_id, number, outcome, target, started_at, duration_ms, response_status, response_body, error
) on dlq_attempts to dlq_retry, dlq_replay;
grant select, insert, update on dlq_breakers to dlq_retry, dlq_replay;
grant select, insert, update on dlq_rates to dlq_retry, dlq_replay;

-- Both work on runs. A run's progress is counted by a trigger, and its selection is never changed: nobody may.
grant select, update (ended_at, stopped, paused_because) on dlq_runs to dlq_retry, dlq_replay;
grant select, update (
  status, leased_until, target, retry_after, processed_at, lost, outcome, reason, detail, settled_at, sent_digest
) on dlq_run_events to dlq_retry, dlq_replay;
grant select on dlq_run_edits to dlq_retry, dlq_replay;

-- retry has its ticks; replay makes runs, and does what people ask of them.
grant insert (trigger, due_at, allowance), update (due_at, allowance, tally, targets) on dlq_runs to dlq_retry;
grant select, insert, update (token, alive_until), delete on dlq_run_workers to dlq_retry;
grant insert (
  trigger, ended_at, stopped, requested_by, reason, request, request_hash, idempotency_key, patch, origins,
  left_out, selected, selection_hash, pace, watch_seconds
), update (recent, pace, leg_began_at, leg_began_with) on dlq_runs to dlq_replay;
grant insert (run_id, event_id, place, failure_count, status) on dlq_run_events to dlq_replay;
grant insert on dlq_run_edits to dlq_replay;
grant insert (actor, act, reason, run_id, details) on dlq_audit to dlq_replay;
revoke execute on function dlq_obstacle from public;
grant execute on function dlq_obstacle to dlq_replay;

-- maintain moves closed events to the archive.
grant select, delete on dlq_events to dlq_maintain;
grant select, insert on dlq_events_archive to dlq_maintain;
grant select on dlq_attempts to dlq_maintain;
grant select, delete on dlq_rates to dlq_maintain;

-- People only look; what they do in the console is granted with all that it shows, in 011_console.sql.
grant select on dlq_events, dlq_runs, dlq_run_workers, dlq_run_events, dlq_run_edits, dlq_attempts, dlq_audit, dlq_breakers, dlq_rates,
  dlq_error_groups, dlq_events_archive to dlq_readonly;

-- A trigger needs nobody's right to the function that it calls.
revoke execute on function dlq_complete_state, dlq_forget_fingerprint, dlq_count_run_outcomes from public;
