-- What the migrations add up to. Written by npm run schema, never by hand; a test compares it.

CREATE TABLE dlq_attempts (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  event_id bigint NOT NULL,
  run_id bigint,
  number integer NOT NULL,
  outcome text NOT NULL,
  target text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  duration_ms integer NOT NULL,
  response_status integer,
  response_body text,
  error text,
  CONSTRAINT dlq_attempts_outcome CHECK (outcome = ANY (ARRAY['delivered'::text, 'transient'::text, 'permanent'::text, 'ambiguous'::text, 'lost'::text])),
  CONSTRAINT dlq_attempts_pkey PRIMARY KEY (event_id, id)
);
CREATE INDEX dlq_attempts_target ON dlq_attempts USING btree (hashtextextended(target, 0::bigint), id);
COMMENT ON TABLE dlq_attempts IS 'Attempts: one delivery of one event each, with the response of the target.';
GRANT SELECT ON dlq_attempts TO dlq_console;
GRANT SELECT ON dlq_attempts TO dlq_maintain;
GRANT SELECT ON dlq_attempts TO dlq_readonly;
GRANT INSERT (event_id, run_id, number, outcome, target, started_at, duration_ms, response_status, response_body, error), SELECT ON dlq_attempts TO dlq_replay;
GRANT INSERT (event_id, run_id, number, outcome, target, started_at, duration_ms, response_status, response_body, error), SELECT ON dlq_attempts TO dlq_retry;

CREATE TABLE dlq_audit (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp with time zone NOT NULL DEFAULT now(),
  actor text NOT NULL DEFAULT 'service'::text,
  action text NOT NULL,
  reason text,
  run_id bigint,
  event_id bigint,
  closes bigint,
  details jsonb NOT NULL DEFAULT '{}'::jsonb,
  login text NOT NULL DEFAULT SESSION_USER,
  CONSTRAINT dlq_audit_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX dlq_audit_closes ON dlq_audit USING btree (closes) WHERE closes IS NOT NULL;
CREATE INDEX dlq_audit_event ON dlq_audit USING btree (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX dlq_audit_group ON dlq_audit USING btree ((details ->> 'fingerprint'::text), id) WHERE details ? 'fingerprint'::text;
CREATE INDEX dlq_audit_merged ON dlq_audit USING btree ((details ->> 'merged'::text), id) WHERE details ? 'merged'::text;
CREATE INDEX dlq_audit_run ON dlq_audit USING btree (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX dlq_audit_target ON dlq_audit USING btree ((details ->> 'target'::text), id) WHERE details ? 'target'::text;
COMMENT ON TABLE dlq_audit IS 'Audit: every action of an operator, with actor, time, action and reason. No role may update or delete rows.';
GRANT INSERT (actor, action, reason, run_id, event_id, closes, details), SELECT ON dlq_audit TO dlq_console;
GRANT INSERT (action, details) ON dlq_audit TO dlq_maintain;
GRANT SELECT ON dlq_audit TO dlq_readonly;
GRANT INSERT (actor, action, reason, run_id, closes, details), SELECT ON dlq_audit TO dlq_replay;

CREATE TABLE dlq_audit_events (
  event_id bigint NOT NULL,
  audit_id bigint NOT NULL,
  CONSTRAINT dlq_audit_events_pkey PRIMARY KEY (event_id, audit_id)
);
COMMENT ON TABLE dlq_audit_events IS 'Audit: the events that an action changed. No role may update or delete rows.';
GRANT INSERT, SELECT ON dlq_audit_events TO dlq_console;
GRANT SELECT ON dlq_audit_events TO dlq_readonly;
GRANT INSERT, SELECT ON dlq_audit_events TO dlq_replay;

CREATE VIEW dlq_blocked_keys AS
 SELECT head.event_type,
    head.source_key,
    head.id AS blocked_by,
    head.status,
    head.error_reason,
    head.retry_after,
    count(*) AS waiting,
    min(later.created_at) AS oldest_waiting
   FROM dlq_events head
     JOIN dlq_events later ON later.lane = head.lane AND later.source_key = head.source_key AND ((ROW(later.sequence, later.id) > ROW(head.sequence, head.id))) AND later.is_open
  WHERE head.is_blocking AND head.source_key IS NOT NULL AND NOT (EXISTS ( SELECT
           FROM dlq_events earlier
          WHERE earlier.is_blocking AND earlier.lane = head.lane AND earlier.source_key = head.source_key AND ((ROW(earlier.sequence, earlier.id) < ROW(head.sequence, head.id)))))
  GROUP BY head.id
  ORDER BY (count(*)) DESC WITH (security_invoker=true);
COMMENT ON VIEW dlq_blocked_keys IS 'Keys whose events wait behind an earlier one, if their route is ordered. Reads all open events that have a key.';
GRANT SELECT ON dlq_blocked_keys TO dlq_readonly;

CREATE TABLE dlq_breaker_changes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  target text NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  state text NOT NULL,
  CONSTRAINT dlq_breaker_changes_pkey PRIMARY KEY (id),
  CONSTRAINT dlq_breaker_changes_state CHECK (state = ANY (ARRAY['OPEN'::text, 'CLOSED'::text]))
);
CREATE INDEX dlq_breaker_changes_target ON dlq_breaker_changes USING btree (target, id);
COMMENT ON TABLE dlq_breaker_changes IS 'When the breaker of each target opened and closed. Probes in between are not recorded.';
GRANT SELECT ON dlq_breaker_changes TO dlq_console;
GRANT DELETE, SELECT ON dlq_breaker_changes TO dlq_maintain;
GRANT SELECT ON dlq_breaker_changes TO dlq_readonly;
GRANT SELECT ON dlq_breaker_changes TO dlq_replay;

CREATE TABLE dlq_breakers (
  target text NOT NULL,
  state text NOT NULL DEFAULT 'CLOSED'::text,
  consecutive_failures integer NOT NULL DEFAULT 0,
  deliveries integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  opened_at timestamp with time zone,
  cooldown_seconds double precision,
  probe_after timestamp with time zone,
  ramp integer[],
  ramp_step_at timestamp with time zone,
  held_at timestamp with time zone,
  held_by text,
  held_reason text,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT dlq_breakers_held CHECK (num_nulls(held_at, held_by, held_reason) = ANY (ARRAY[0, 3])),
  CONSTRAINT dlq_breakers_opened CHECK ((state = 'CLOSED'::text) = (opened_at IS NULL) AND (state = 'CLOSED'::text) = (probe_after IS NULL)),
  CONSTRAINT dlq_breakers_pkey PRIMARY KEY (target),
  CONSTRAINT dlq_breakers_ramp CHECK ((ramp IS NULL) = (ramp_step_at IS NULL) AND (state = 'CLOSED'::text OR ramp IS NULL) AND cardinality(ramp) > 0),
  CONSTRAINT dlq_breakers_state CHECK (state = ANY (ARRAY['CLOSED'::text, 'OPEN'::text, 'HALF_OPEN'::text]))
);
CREATE TRIGGER dlq_breakers_record_change AFTER UPDATE OF state ON dlq_breakers FOR EACH ROW WHEN ((old.state = 'CLOSED'::text) <> (new.state = 'CLOSED'::text)) EXECUTE FUNCTION dlq_record_breaker_change();
CREATE TRIGGER dlq_breakers_record_opening AFTER INSERT ON dlq_breakers FOR EACH ROW WHEN (new.state <> 'CLOSED'::text) EXECUTE FUNCTION dlq_record_breaker_change();
COMMENT ON TABLE dlq_breakers IS 'Breakers: one row per target that ever failed or was held; an open one stops deliveries while the target is down.';
GRANT INSERT (target, held_at, held_by, held_reason), SELECT, UPDATE (ramp, ramp_step_at, held_at, held_by, held_reason) ON dlq_breakers TO dlq_console;
GRANT SELECT ON dlq_breakers TO dlq_maintain;
GRANT SELECT ON dlq_breakers TO dlq_readonly;
GRANT INSERT, SELECT, UPDATE ON dlq_breakers TO dlq_replay;
GRANT INSERT, SELECT, UPDATE ON dlq_breakers TO dlq_retry;

CREATE TABLE dlq_count_deltas (
  hour timestamp with time zone NOT NULL,
  event_type text NOT NULL,
  fingerprint text NOT NULL,
  lease_expires_at timestamp with time zone,
  pending integer NOT NULL,
  processing integer NOT NULL,
  succeeded integer NOT NULL,
  failed_permanently integer NOT NULL,
  discarded integer NOT NULL,
  captures integer NOT NULL,
  recurrences integer NOT NULL,
  retry_failures integer NOT NULL,
  deliveries integer NOT NULL,
  permanent_failures integer NOT NULL,
  discards integer NOT NULL,
  sample_event_id bigint,
  first_seen_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  conflicts integer NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_insert_threshold=-1, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
CREATE TRIGGER dlq_count_deltas_notify AFTER INSERT ON dlq_count_deltas REFERENCING NEW TABLE AS counted FOR EACH STATEMENT WHEN (current_setting('dlo.notify'::text, true) = 'on'::text) EXECUTE FUNCTION dlq_notify();
COMMENT ON TABLE dlq_count_deltas IS 'Counts: changes by statement, until they are aggregated into dlq_counts_current, dlq_counts_hourly and dlq_error_groups.';
GRANT DELETE, SELECT ON dlq_count_deltas TO dlq_console;
GRANT DELETE, SELECT ON dlq_count_deltas TO dlq_maintain;
GRANT SELECT ON dlq_count_deltas TO dlq_readonly;
GRANT DELETE, SELECT ON dlq_count_deltas TO dlq_replay;
GRANT DELETE, SELECT ON dlq_count_deltas TO dlq_retry;

CREATE VIEW dlq_counts_by_hour AS
 SELECT hour,
    event_type,
    fingerprint,
    sum(captures) AS captures,
    sum(recurrences) AS recurrences,
    sum(retry_failures) AS retry_failures,
    sum(deliveries) AS deliveries,
    sum(permanent_failures) AS permanent_failures,
    sum(discards) AS discards
   FROM dlq_counts_hourly_exact
  GROUP BY hour, event_type, fingerprint WITH (security_invoker=true);
COMMENT ON VIEW dlq_counts_by_hour IS 'What happened, by hour (UTC), type and error group; after three days by six hours, after 15 days by day. Exact.';
GRANT SELECT ON dlq_counts_by_hour TO dlq_readonly;

CREATE TABLE dlq_counts_current (
  event_type text NOT NULL,
  fingerprint text NOT NULL,
  lease_expires_at timestamp with time zone,
  pending bigint NOT NULL DEFAULT 0,
  processing bigint NOT NULL DEFAULT 0,
  succeeded bigint NOT NULL DEFAULT 0,
  failed_permanently bigint NOT NULL DEFAULT 0,
  discarded bigint NOT NULL DEFAULT 0,
  captures bigint NOT NULL DEFAULT 0,
  recurrences bigint NOT NULL DEFAULT 0,
  retry_failures bigint NOT NULL DEFAULT 0,
  deliveries bigint NOT NULL DEFAULT 0,
  permanent_failures bigint NOT NULL DEFAULT 0,
  discards bigint NOT NULL DEFAULT 0,
  conflicts bigint NOT NULL DEFAULT 0,
  counted_since timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT dlq_counts_current_grain UNIQUE NULLS NOT DISTINCT (fingerprint, event_type, lease_expires_at)
) WITH (fillfactor=70);
CREATE INDEX dlq_counts_current_leases ON dlq_counts_current USING btree (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
COMMENT ON TABLE dlq_counts_current IS 'Counts: events now, and what happened so far, by type, error group and end of lease, without dlq_count_deltas. Read dlq_depths.';
GRANT DELETE, INSERT, SELECT, UPDATE ON dlq_counts_current TO dlq_console;
GRANT DELETE, INSERT, SELECT, UPDATE ON dlq_counts_current TO dlq_maintain;
GRANT SELECT ON dlq_counts_current TO dlq_readonly;
GRANT DELETE, INSERT, SELECT, UPDATE ON dlq_counts_current TO dlq_replay;
GRANT DELETE, INSERT, SELECT, UPDATE ON dlq_counts_current TO dlq_retry;

CREATE VIEW dlq_counts_current_exact AS
 SELECT dlq_counts_current.event_type,
    dlq_counts_current.fingerprint,
    dlq_counts_current.lease_expires_at,
    dlq_counts_current.pending,
    dlq_counts_current.processing,
    dlq_counts_current.succeeded,
    dlq_counts_current.failed_permanently,
    dlq_counts_current.discarded,
    dlq_counts_current.captures,
    dlq_counts_current.recurrences,
    dlq_counts_current.retry_failures,
    dlq_counts_current.deliveries,
    dlq_counts_current.permanent_failures,
    dlq_counts_current.discards,
    dlq_counts_current.conflicts,
    dlq_counts_current.counted_since
   FROM dlq_counts_current
UNION ALL
 SELECT dlq_count_deltas.event_type,
    dlq_count_deltas.fingerprint,
    dlq_count_deltas.lease_expires_at,
    dlq_count_deltas.pending::bigint AS pending,
    dlq_count_deltas.processing::bigint AS processing,
    dlq_count_deltas.succeeded::bigint AS succeeded,
    dlq_count_deltas.failed_permanently::bigint AS failed_permanently,
    dlq_count_deltas.discarded::bigint AS discarded,
    dlq_count_deltas.captures::bigint AS captures,
    dlq_count_deltas.recurrences::bigint AS recurrences,
    dlq_count_deltas.retry_failures::bigint AS retry_failures,
    dlq_count_deltas.deliveries::bigint AS deliveries,
    dlq_count_deltas.permanent_failures::bigint AS permanent_failures,
    dlq_count_deltas.discards::bigint AS discards,
    dlq_count_deltas.conflicts::bigint AS conflicts,
    NULL::timestamp with time zone AS counted_since
   FROM dlq_count_deltas WITH (security_invoker=true);
COMMENT ON VIEW dlq_counts_current_exact IS 'Rows of dlq_counts_current and dlq_count_deltas, to be added up: the source of every number of now.';
GRANT SELECT ON dlq_counts_current_exact TO dlq_console;
GRANT SELECT ON dlq_counts_current_exact TO dlq_maintain;
GRANT SELECT ON dlq_counts_current_exact TO dlq_readonly;
GRANT SELECT ON dlq_counts_current_exact TO dlq_replay;
GRANT SELECT ON dlq_counts_current_exact TO dlq_retry;

CREATE TABLE dlq_counts_hourly (
  hour timestamp with time zone NOT NULL,
  event_type text,
  fingerprint text,
  captures integer NOT NULL,
  recurrences integer NOT NULL,
  retry_failures integer NOT NULL,
  deliveries integer NOT NULL,
  permanent_failures integer NOT NULL,
  discards integer NOT NULL,
  CONSTRAINT dlq_counts_hourly_grain UNIQUE NULLS NOT DISTINCT (hour, event_type, fingerprint),
  CONSTRAINT dlq_counts_hourly_in_all CHECK ((event_type IS NULL) = (fingerprint IS NULL))
) WITH (fillfactor=70);
CREATE INDEX dlq_counts_hourly_fingerprint ON dlq_counts_hourly USING btree (fingerprint, hour);
COMMENT ON TABLE dlq_counts_hourly IS 'Counts: what happened, by hour, in all and by type and error group, without dlq_count_deltas. Read dlq_counts_by_hour.';
GRANT INSERT, SELECT, UPDATE ON dlq_counts_hourly TO dlq_console;
GRANT DELETE, INSERT, SELECT, UPDATE ON dlq_counts_hourly TO dlq_maintain;
GRANT SELECT ON dlq_counts_hourly TO dlq_readonly;
GRANT INSERT, SELECT, UPDATE ON dlq_counts_hourly TO dlq_replay;
GRANT INSERT, SELECT, UPDATE ON dlq_counts_hourly TO dlq_retry;

CREATE VIEW dlq_counts_hourly_exact AS
 SELECT dlq_counts_hourly.hour,
    dlq_counts_hourly.event_type,
    dlq_counts_hourly.fingerprint,
    dlq_counts_hourly.captures,
    dlq_counts_hourly.recurrences,
    dlq_counts_hourly.retry_failures,
    dlq_counts_hourly.deliveries,
    dlq_counts_hourly.permanent_failures,
    dlq_counts_hourly.discards,
    dlq_counts_hourly.captures + dlq_counts_hourly.recurrences AS failures
   FROM dlq_counts_hourly
  WHERE dlq_counts_hourly.fingerprint IS NOT NULL
UNION ALL
 SELECT dlq_count_deltas.hour,
    dlq_count_deltas.event_type,
    dlq_count_deltas.fingerprint,
    dlq_count_deltas.captures,
    dlq_count_deltas.recurrences,
    dlq_count_deltas.retry_failures,
    dlq_count_deltas.deliveries,
    dlq_count_deltas.permanent_failures,
    dlq_count_deltas.discards,
    dlq_count_deltas.captures + dlq_count_deltas.recurrences AS failures
   FROM dlq_count_deltas WITH (security_invoker=true);
COMMENT ON VIEW dlq_counts_hourly_exact IS 'Rows of dlq_counts_hourly and dlq_count_deltas, to be added up: what happened, by hour, type and error group.';
GRANT SELECT ON dlq_counts_hourly_exact TO dlq_console;
GRANT SELECT ON dlq_counts_hourly_exact TO dlq_maintain;
GRANT SELECT ON dlq_counts_hourly_exact TO dlq_readonly;
GRANT SELECT ON dlq_counts_hourly_exact TO dlq_replay;

CREATE VIEW dlq_counts_hourly_totals AS
 SELECT dlq_counts_hourly.hour,
    dlq_counts_hourly.captures,
    dlq_counts_hourly.recurrences,
    dlq_counts_hourly.retry_failures,
    dlq_counts_hourly.deliveries,
    dlq_counts_hourly.permanent_failures,
    dlq_counts_hourly.discards,
    dlq_counts_hourly.captures + dlq_counts_hourly.recurrences AS failures
   FROM dlq_counts_hourly
  WHERE dlq_counts_hourly.fingerprint IS NULL
UNION ALL
 SELECT dlq_count_deltas.hour,
    dlq_count_deltas.captures,
    dlq_count_deltas.recurrences,
    dlq_count_deltas.retry_failures,
    dlq_count_deltas.deliveries,
    dlq_count_deltas.permanent_failures,
    dlq_count_deltas.discards,
    dlq_count_deltas.captures + dlq_count_deltas.recurrences AS failures
   FROM dlq_count_deltas WITH (security_invoker=true);
COMMENT ON VIEW dlq_counts_hourly_totals IS 'Rows of dlq_counts_hourly and dlq_count_deltas, to be added up: what happened in all, by hour.';
GRANT SELECT ON dlq_counts_hourly_totals TO dlq_console;
GRANT SELECT ON dlq_counts_hourly_totals TO dlq_maintain;
GRANT SELECT ON dlq_counts_hourly_totals TO dlq_readonly;
GRANT SELECT ON dlq_counts_hourly_totals TO dlq_replay;

CREATE VIEW dlq_depths AS
 SELECT event_type,
    fingerprint,
    sum(pending)::bigint AS pending,
    sum(processing)::bigint AS processing,
    sum(succeeded)::bigint AS succeeded,
    sum(failed_permanently)::bigint AS failed_permanently,
    sum(discarded)::bigint AS discarded
   FROM dlq_counts_current_exact
  GROUP BY event_type, fingerprint
 HAVING sum(pending) <> 0::numeric OR sum(processing) <> 0::numeric OR sum(succeeded) <> 0::numeric OR sum(failed_permanently) <> 0::numeric OR sum(discarded) <> 0::numeric WITH (security_invoker=true);
COMMENT ON VIEW dlq_depths IS 'Events now, by type and error group, in each status. Exact.';
GRANT SELECT ON dlq_depths TO dlq_readonly;

CREATE TABLE dlq_error_groups (
  fingerprint text NOT NULL,
  state text NOT NULL DEFAULT 'OPEN'::text,
  title text,
  causes text[] NOT NULL DEFAULT '{}'::text[],
  frame text,
  sample_event_id bigint,
  first_seen_at timestamp with time zone NOT NULL,
  last_seen_at timestamp with time zone NOT NULL,
  owner text,
  note text,
  state_changed_at timestamp with time zone NOT NULL DEFAULT now(),
  began_at timestamp with time zone NOT NULL GENERATED ALWAYS AS (
CASE state
    WHEN 'REGRESSED'::text THEN state_changed_at
    ELSE first_seen_at
END) STORED,
  muted_until timestamp with time zone,
  merged_into text,
  is_merged boolean NOT NULL GENERATED ALWAYS AS (merged_into IS NOT NULL) STORED,
  into_merged boolean GENERATED ALWAYS AS (
CASE
    WHEN merged_into IS NOT NULL THEN false
    ELSE NULL::boolean
END) STORED,
  CONSTRAINT dlq_error_groups_merge_targets UNIQUE (fingerprint, is_merged),
  CONSTRAINT dlq_error_groups_merged_once FOREIGN KEY (merged_into, into_merged) REFERENCES dlq_error_groups(fingerprint, is_merged),
  CONSTRAINT dlq_error_groups_muted_until CHECK ((state = 'MUTED'::text) = (muted_until IS NOT NULL)),
  CONSTRAINT dlq_error_groups_pkey PRIMARY KEY (fingerprint),
  CONSTRAINT dlq_error_groups_seen_in_order CHECK (first_seen_at <= last_seen_at),
  CONSTRAINT dlq_error_groups_state CHECK (state = ANY (ARRAY['OPEN'::text, 'ACKNOWLEDGED'::text, 'MUTED'::text, 'RESOLVED'::text, 'REGRESSED'::text]))
);
CREATE INDEX dlq_error_groups_began ON dlq_error_groups USING btree (began_at) WHERE merged_into IS NULL AND (state = ANY (ARRAY['OPEN'::text, 'ACKNOWLEDGED'::text, 'REGRESSED'::text]));
CREATE INDEX dlq_error_groups_merged ON dlq_error_groups USING btree (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX dlq_error_groups_seen ON dlq_error_groups USING btree (last_seen_at, fingerprint);
CREATE INDEX dlq_error_groups_untitled ON dlq_error_groups USING btree (fingerprint) WHERE title IS NULL;
CREATE INDEX dlq_error_groups_waiting ON dlq_error_groups USING btree (fingerprint) WHERE state = ANY (ARRAY['MUTED'::text, 'RESOLVED'::text]);
COMMENT ON TABLE dlq_error_groups IS 'Error groups: one row per fingerprint, with title, state, owner and note.';
GRANT INSERT, SELECT, UPDATE ON dlq_error_groups TO dlq_console;
GRANT DELETE, INSERT, SELECT, UPDATE ON dlq_error_groups TO dlq_maintain;
GRANT SELECT ON dlq_error_groups TO dlq_readonly;
GRANT INSERT, SELECT, UPDATE ON dlq_error_groups TO dlq_replay;
GRANT INSERT, SELECT, UPDATE ON dlq_error_groups TO dlq_retry;

CREATE TABLE dlq_events (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_failure_at timestamp with time zone NOT NULL DEFAULT now(),
  first_failure_at timestamp with time zone NOT NULL DEFAULT now(),
  lane bigint NOT NULL GENERATED ALWAYS AS (hashtextextended((((quote_literal(event_type) || quote_literal(source_kind)) || COALESCE(quote_literal(source_topic), '-'::text)) || COALESCE(quote_literal(consumer_group), '-'::text)) ||
CASE
    WHEN source_key IS NULL THEN '-'::text
    ELSE '+'::text
END, 0::bigint)) STORED,
  retry_after timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  failure_count integer NOT NULL DEFAULT 1,
  retry_count integer NOT NULL DEFAULT 0,
  priority smallint NOT NULL DEFAULT 0,
  content_rank smallint NOT NULL DEFAULT 1,
  is_type_told boolean NOT NULL DEFAULT true,
  is_open boolean NOT NULL GENERATED ALWAYS AS (status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text])) STORED,
  is_blocking boolean NOT NULL GENERATED ALWAYS AS (status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'FAILED_PERMANENTLY'::text])) STORED,
  lease_expires_at timestamp with time zone,
  lease_token uuid,
  processed_at timestamp with time zone,
  status text NOT NULL DEFAULT 'PENDING'::text,
  failure_kind text,
  max_retries integer,
  sequence bigint GENERATED ALWAYS AS (
CASE
    WHEN source_key IS NULL THEN NULL::bigint
    WHEN source_partition IS NULL OR source_offset IS NULL THEN id
    ELSE source_offset
END) STORED,
  edit_run_id bigint,
  event_type text NOT NULL,
  fingerprint text,
  event_key text COLLATE "C" NOT NULL DEFAULT 'sql:'::text || gen_random_uuid(),
  event_id text,
  source_key text,
  trace_id text,
  first_fingerprint text,
  delivery_id text,
  earlier_delivery_ids text[],
  redelivery_token uuid NOT NULL DEFAULT gen_random_uuid(),
  payload jsonb NOT NULL,
  body bytea,
  printed_as text,
  payload_encoding text NOT NULL DEFAULT 'json'::text,
  content_type text,
  headers jsonb NOT NULL DEFAULT '{}'::jsonb,
  source_kind text NOT NULL DEFAULT 'sql'::text,
  source_topic text,
  source_partition integer,
  source_offset bigint,
  source_key_bytes bytea,
  source_subscription text,
  consumer_group text,
  source_attempts integer,
  metadata jsonb,
  occurred_at timestamp with time zone,
  error_reason text NOT NULL DEFAULT 'not reported'::text,
  error_class text,
  error_stacktrace text,
  first_error_reason text,
  first_error_class text,
  first_error_stacktrace text,
  restored_at timestamp with time zone,
  reopened_at timestamp with time zone,
  CONSTRAINT dlq_events_counts CHECK (LEAST(retry_count, failure_count - 1, max_retries, source_attempts) >= 0),
  CONSTRAINT dlq_events_edits_are_not_due CHECK (NOT is_open OR edit_run_id IS NULL OR retry_after = 'infinity'::timestamp with time zone),
  CONSTRAINT dlq_events_failed_in_order CHECK (first_failure_at <= last_failure_at),
  CONSTRAINT dlq_events_failure_kind CHECK (failure_kind = ANY (ARRAY['transient'::text, 'permanent'::text, 'ambiguous'::text])),
  CONSTRAINT dlq_events_headers CHECK (jsonb_typeof(headers) = 'object'::text),
  CONSTRAINT dlq_events_leased_while_processing CHECK ((status = 'PROCESSING'::text) = (lease_token IS NOT NULL) AND (lease_token IS NULL) = (lease_expires_at IS NULL)),
  CONSTRAINT dlq_events_leases_end CHECK (isfinite(lease_expires_at)),
  CONSTRAINT dlq_events_payload_encoding CHECK (payload_encoding = ANY (ARRAY['json'::text, 'text'::text, 'base64'::text, 'none'::text])),
  CONSTRAINT dlq_events_pkey PRIMARY KEY (id),
  CONSTRAINT dlq_events_printed_as CHECK (printed_as IS NULL OR body IS NULL AND payload_encoding = 'json'::text),
  CONSTRAINT dlq_events_processed_when_closed CHECK ((status = ANY (ARRAY['SUCCEEDED'::text, 'FAILED_PERMANENTLY'::text, 'DISCARDED'::text])) = (processed_at IS NOT NULL)),
  CONSTRAINT dlq_events_status CHECK (status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'SUCCEEDED'::text, 'FAILED_PERMANENTLY'::text, 'DISCARDED'::text]))
) WITH (autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000, autovacuum_vacuum_scale_factor=0.02, fillfactor=50, toast_tuple_target=1024);
CREATE INDEX dlq_events_age ON dlq_events USING btree (event_type, created_at) WHERE processed_at IS NULL;
CREATE INDEX dlq_events_created_at ON dlq_events USING btree (created_at) WITH (fillfactor='50');
CREATE INDEX dlq_events_due ON dlq_events USING btree (lane, priority, retry_after, id) WHERE is_open;
CREATE INDEX dlq_events_event_id ON dlq_events USING btree (event_id) WHERE event_id IS NOT NULL;
CREATE UNIQUE INDEX dlq_events_event_key ON dlq_events USING btree (event_key);
CREATE INDEX dlq_events_failed_at ON dlq_events USING btree (last_failure_at, event_type) WITH (fillfactor='50');
CREATE INDEX dlq_events_failed_permanently ON dlq_events USING btree (processed_at, event_type) WHERE is_blocking AND NOT is_open;
CREATE INDEX dlq_events_failed_permanently_group ON dlq_events USING btree (fingerprint, id) INCLUDE (lane, created_at, edit_run_id) WHERE is_blocking AND NOT is_open;
CREATE INDEX dlq_events_fingerprint ON dlq_events USING btree (fingerprint, id);
CREATE INDEX dlq_events_first_fingerprint ON dlq_events USING btree (first_fingerprint, fingerprint) WHERE first_fingerprint IS NOT NULL;
CREATE INDEX dlq_events_sequence ON dlq_events USING btree (lane, source_key, sequence, id) WHERE is_blocking AND source_key IS NOT NULL;
CREATE INDEX dlq_events_source_key ON dlq_events USING btree (source_key) WHERE source_key IS NOT NULL;
CREATE INDEX dlq_events_trace_id ON dlq_events USING btree (trace_id) WHERE trace_id IS NOT NULL;
CREATE TRIGGER dlq_events_complete_state BEFORE INSERT OR UPDATE OF status ON dlq_events FOR EACH ROW WHEN ((new.status = 'PROCESSING'::text) <> (new.lease_token IS NOT NULL) OR (new.lease_token IS NULL) <> (new.lease_expires_at IS NULL) OR (new.status = ANY (ARRAY['SUCCEEDED'::text, 'FAILED_PERMANENTLY'::text, 'DISCARDED'::text])) <> (new.processed_at IS NOT NULL)) EXECUTE FUNCTION dlq_complete_state();
CREATE TRIGGER dlq_events_count_captured AFTER INSERT ON dlq_events REFERENCING NEW TABLE AS captured FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_captured();
CREATE TRIGGER dlq_events_count_changed AFTER UPDATE ON dlq_events REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_changed();
CREATE TRIGGER dlq_events_count_removed AFTER DELETE ON dlq_events REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_removed();
CREATE TRIGGER dlq_events_count_truncated AFTER TRUNCATE ON dlq_events FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_removed();
CREATE TRIGGER dlq_events_keep_edit BEFORE UPDATE ON dlq_events FOR EACH ROW WHEN (new.edit_run_id IS NOT NULL AND (new.status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text])) AND new.retry_after <> 'infinity'::timestamp with time zone) EXECUTE FUNCTION dlq_keep_edit();
CREATE TRIGGER dlq_events_keep_first_failure BEFORE UPDATE OF error_reason ON dlq_events FOR EACH ROW WHEN (old.error_reason <> new.error_reason AND current_setting('dlo.computes_fingerprints'::text, true) IS DISTINCT FROM 'on'::text) EXECUTE FUNCTION dlq_keep_first_failure();
COMMENT ON TABLE dlq_events IS 'Failed messages: one row each, kept until they are archived.';
COMMENT ON COLUMN dlq_events.failure_count IS 'Failures at the consumer: 1 at capture, one more for each recurrence.';
COMMENT ON COLUMN dlq_events.retry_count IS 'Failed retries so far. Captures never change it.';
COMMENT ON COLUMN dlq_events.is_blocking IS 'True while the event blocks later events of its key. "is_blocking and not is_open" is true of permanent failures only.';
COMMENT ON COLUMN dlq_events.failure_kind IS 'Kind of the latest failure: as its consumer said, or the outcome of its delivery. Null: the consumer did not say.';
COMMENT ON COLUMN dlq_events.edit_run_id IS 'The replay whose edited message was sent last, or waits to be sent. Null: the captured message.';
COMMENT ON COLUMN dlq_events.payload IS 'The message for queries. A text is a JSON string, binary is base64 in a JSON string, no body is JSON null.';
COMMENT ON COLUMN dlq_events.printed_as IS 'How the bytes of a JSON message are printed from payload, if body is null: their number, order of the keys, style.';
COMMENT ON COLUMN dlq_events.headers IS 'Name to value; a value is text, {"base64": "..."} if it was not UTF-8, or a list of these if the name was repeated.';
COMMENT ON COLUMN dlq_events.source_key_bytes IS 'The exact key, if source_key only represents it: a key that is not UTF-8, empty or very long.';
COMMENT ON COLUMN dlq_events.error_reason IS 'Why the event failed last: at its consumer or at the target.';
GRANT SELECT, UPDATE (retry_after, updated_at, retry_count, priority, lease_expires_at, lease_token, processed_at, status, edit_run_id, reopened_at) ON dlq_events TO dlq_console;
GRANT DELETE, SELECT, UPDATE (fingerprint) ON dlq_events TO dlq_maintain;
GRANT SELECT ON dlq_events TO dlq_readonly;
GRANT SELECT, UPDATE (retry_after, updated_at, retry_count, priority, lease_expires_at, lease_token, processed_at, status, failure_kind, edit_run_id, fingerprint, first_fingerprint, error_reason, error_class, error_stacktrace, first_error_reason, first_error_class, first_error_stacktrace, reopened_at) ON dlq_events TO dlq_replay;
GRANT SELECT, UPDATE (retry_after, updated_at, retry_count, lease_expires_at, lease_token, processed_at, status, failure_kind, edit_run_id, fingerprint, first_fingerprint, error_reason, error_class, error_stacktrace, first_error_reason, first_error_class, first_error_stacktrace) ON dlq_events TO dlq_retry;
GRANT INSERT (retry_after, status, event_type, payload, error_reason, error_stacktrace) ON dlq_events TO dlq_writer;

CREATE TABLE dlq_events_archive (
  id bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_failure_at timestamp with time zone NOT NULL,
  first_failure_at timestamp with time zone NOT NULL,
  lane bigint NOT NULL,
  retry_after timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  failure_count integer NOT NULL,
  retry_count integer NOT NULL,
  priority smallint NOT NULL,
  content_rank smallint NOT NULL,
  is_type_told boolean NOT NULL,
  is_open boolean NOT NULL,
  is_blocking boolean NOT NULL,
  lease_expires_at timestamp with time zone,
  lease_token uuid,
  processed_at timestamp with time zone,
  status text NOT NULL,
  failure_kind text,
  max_retries integer,
  sequence bigint,
  edit_run_id bigint,
  event_type text NOT NULL,
  fingerprint text,
  event_key text COLLATE "C" NOT NULL,
  event_id text,
  source_key text,
  trace_id text,
  first_fingerprint text,
  delivery_id text,
  earlier_delivery_ids text[],
  redelivery_token uuid NOT NULL,
  payload jsonb NOT NULL,
  body bytea,
  printed_as text,
  payload_encoding text NOT NULL,
  content_type text,
  headers jsonb NOT NULL,
  source_kind text NOT NULL,
  source_topic text,
  source_partition integer,
  source_offset bigint,
  source_key_bytes bytea,
  source_subscription text,
  consumer_group text,
  source_attempts integer,
  metadata jsonb,
  occurred_at timestamp with time zone,
  error_reason text NOT NULL,
  error_class text,
  error_stacktrace text,
  first_error_reason text,
  first_error_class text,
  first_error_stacktrace text,
  restored_at timestamp with time zone,
  reopened_at timestamp with time zone
) PARTITION BY RANGE (created_at);
CREATE INDEX dlq_events_archive_created_at ON ONLY dlq_events_archive USING btree (created_at);
CREATE INDEX dlq_events_archive_event_key ON ONLY dlq_events_archive USING btree (event_key);
CREATE INDEX dlq_events_archive_failed_at ON ONLY dlq_events_archive USING btree (last_failure_at);
CREATE INDEX dlq_events_archive_id ON ONLY dlq_events_archive USING btree (id);
CREATE INDEX dlq_events_archive_source_key ON ONLY dlq_events_archive USING btree (source_key, id) WHERE source_key IS NOT NULL;
COMMENT ON TABLE dlq_events_archive IS 'Archive: closed events, partitioned by month of capture.';
GRANT SELECT ON dlq_events_archive TO dlq_console;
GRANT INSERT, SELECT ON dlq_events_archive TO dlq_maintain;
GRANT SELECT ON dlq_events_archive TO dlq_readonly;
GRANT SELECT ON dlq_events_archive TO dlq_replay;

CREATE TABLE dlq_events_archive_default PARTITION OF dlq_events_archive DEFAULT;
COMMENT ON TABLE dlq_events_archive_default IS 'Archive: events of months that have no partition.';

CREATE VIEW dlq_failures_by_hour AS
 SELECT hour,
    sum(captures) AS captures,
    sum(recurrences) AS recurrences,
    sum(deliveries) AS deliveries,
    sum(permanent_failures) AS permanent_failures,
    sum(discards) AS discards,
    round((sum(permanent_failures) / NULLIF(sum(deliveries + permanent_failures), 0))::numeric, 3) AS permanent_failure_ratio
   FROM dlq_counts_hourly_totals
  WHERE hour > (now() - '7 days'::interval)
  GROUP BY hour
  ORDER BY hour DESC WITH (security_invoker=true);
COMMENT ON VIEW dlq_failures_by_hour IS 'Captures and outcomes of the last seven days, by hour (UTC). Exact.';
GRANT SELECT ON dlq_failures_by_hour TO dlq_readonly;

CREATE VIEW dlq_failures_by_reason AS
 SELECT counts.event_type,
    COALESCE(latest.title, error_group.title, 'No reason given: '::text || counts.event_type) AS reason,
    counts.failures,
    counts.last_hour,
    error_group.state,
    error_group.owner,
    counts.fingerprint
   FROM ( SELECT counted.event_type,
            COALESCE(error_group_1.merged_into, counted.fingerprint) AS fingerprint,
            sum(counted.failures) AS failures,
            max(counted.hour) AS last_hour
           FROM dlq_counts_hourly_exact counted
             LEFT JOIN dlq_error_groups error_group_1 USING (fingerprint)
          WHERE counted.hour > (now() - '24:00:00'::interval) AND counted.fingerprint <> ''::text
          GROUP BY counted.event_type, (COALESCE(error_group_1.merged_into, counted.fingerprint))
         HAVING sum(counted.failures) > 0) counts
     LEFT JOIN dlq_error_groups error_group USING (fingerprint)
     LEFT JOIN LATERAL ( SELECT dlq_error_title(event.error_class, event.error_reason) AS title
           FROM dlq_events event
          WHERE event.fingerprint = counts.fingerprint
          ORDER BY event.fingerprint DESC, event.id DESC
         LIMIT 1) latest ON true
UNION ALL
 SELECT dlq_events.event_type,
    COALESCE(dlq_error_title(dlq_events.error_class, dlq_events.error_reason), 'No reason given: '::text || dlq_events.event_type) AS reason,
    count(*) AS failures,
    date_trunc('hour'::text, max(dlq_events.created_at), 'UTC'::text) AS last_hour,
    NULL::text AS state,
    NULL::text AS owner,
    ''::text AS fingerprint
   FROM dlq_events
  WHERE dlq_events.fingerprint IS NULL AND dlq_events.created_at > (now() - '24:00:00'::interval)
  GROUP BY dlq_events.event_type, (COALESCE(dlq_error_title(dlq_events.error_class, dlq_events.error_reason), 'No reason given: '::text || dlq_events.event_type))
  ORDER BY 3 DESC, 1, 7 WITH (security_invoker=true);
COMMENT ON VIEW dlq_failures_by_reason IS 'Failures of the last 24 hours, by type and error group, with the words of the latest event.';
GRANT SELECT ON dlq_failures_by_reason TO dlq_readonly;

CREATE VIEW dlq_group_members AS
 SELECT COALESCE(merged_into, fingerprint) AS fingerprint,
    fingerprint AS member
   FROM dlq_error_groups WITH (security_invoker=true);
COMMENT ON VIEW dlq_group_members IS 'The fingerprints of the events of each error group: its own, and those of the groups merged into it.';
GRANT SELECT ON dlq_group_members TO dlq_console;
GRANT SELECT ON dlq_group_members TO dlq_readonly;
GRANT SELECT ON dlq_group_members TO dlq_replay;

CREATE TABLE dlq_migrations (
  id integer NOT NULL DEFAULT nextval('dlq_migrations_id_seq'::regclass),
  name character varying(255) NOT NULL,
  run_on timestamp without time zone NOT NULL,
  CONSTRAINT dlq_migrations_pkey PRIMARY KEY (id)
);

CREATE VIEW dlq_most_retried AS
 SELECT id,
    event_type,
    retry_count,
    retry_after,
    failure_kind,
    error_reason,
    created_at
   FROM dlq_events
  WHERE is_open AND retry_count > 5
  ORDER BY retry_count DESC, id WITH (security_invoker=true);
COMMENT ON VIEW dlq_most_retried IS 'Open events with more than five failed retries. Reads all open events.';
GRANT SELECT ON dlq_most_retried TO dlq_readonly;

CREATE VIEW dlq_needs_review AS
 SELECT id,
    event_type,
    COALESCE(source_subscription, consumer_group) AS consumer,
    error_class,
    error_reason,
    failure_kind,
    retry_count,
    failure_count,
    created_at,
    processed_at AS failed_at,
    fingerprint
   FROM dlq_events
  WHERE is_blocking AND NOT is_open
  ORDER BY processed_at DESC WITH (security_invoker=true);
COMMENT ON VIEW dlq_needs_review IS 'Permanent failures, latest first: they wait for an operator to replay or discard them.';
GRANT SELECT ON dlq_needs_review TO dlq_readonly;

CREATE VIEW dlq_open_by_consumer AS
 SELECT COALESCE(source_subscription, consumer_group, source_topic, source_kind) AS consumer,
    event_type,
    count(*) AS events,
    min(created_at) AS oldest,
    max(retry_count) AS most_retries,
    min(retry_after) AS next_retry
   FROM dlq_events
  WHERE is_open
  GROUP BY (COALESCE(source_subscription, consumer_group, source_topic, source_kind)), event_type
  ORDER BY (count(*)) DESC, (COALESCE(source_subscription, consumer_group, source_topic, source_kind)), event_type WITH (security_invoker=true);
COMMENT ON VIEW dlq_open_by_consumer IS 'Open events, by the consumer that failed and type. Reads all open events.';
GRANT SELECT ON dlq_open_by_consumer TO dlq_readonly;

CREATE TABLE dlq_rates (
  route text NOT NULL,
  tokens double precision NOT NULL,
  granted integer NOT NULL,
  refilled_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT dlq_rates_pkey PRIMARY KEY (route)
);
COMMENT ON TABLE dlq_rates IS 'Rate limits: one token bucket per route with a ratePerSecond, shared by all instances.';
GRANT DELETE, SELECT ON dlq_rates TO dlq_maintain;
GRANT SELECT ON dlq_rates TO dlq_readonly;
GRANT INSERT, SELECT, UPDATE ON dlq_rates TO dlq_replay;
GRANT INSERT, SELECT, UPDATE ON dlq_rates TO dlq_retry;

CREATE TABLE dlq_run_counts (
  run_id bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  outcome text NOT NULL,
  reason text NOT NULL,
  events integer NOT NULL,
  CONSTRAINT dlq_run_counts_pkey PRIMARY KEY (run_id, at, outcome, reason)
);
COMMENT ON TABLE dlq_run_counts IS 'Settled events of replays by time, outcome and reason. Counted by a trigger on dlq_run_events.';
GRANT SELECT ON dlq_run_counts TO dlq_console;
GRANT SELECT ON dlq_run_counts TO dlq_readonly;
GRANT SELECT ON dlq_run_counts TO dlq_replay;

CREATE TABLE dlq_run_edits (
  run_id bigint NOT NULL,
  event_id bigint NOT NULL,
  body bytea,
  headers jsonb,
  CONSTRAINT dlq_run_edits_headers CHECK (jsonb_typeof(headers) = 'object'::text),
  CONSTRAINT dlq_run_edits_pkey PRIMARY KEY (run_id, event_id),
  CONSTRAINT dlq_run_edits_something CHECK (num_nonnulls(body, headers) > 0)
);
COMMENT ON TABLE dlq_run_edits IS 'Edited messages: the body, headers or both that one replay sends instead of the original of one event.';
GRANT INSERT, SELECT ON dlq_run_edits TO dlq_console;
GRANT SELECT ON dlq_run_edits TO dlq_readonly;
GRANT INSERT, SELECT ON dlq_run_edits TO dlq_replay;
GRANT SELECT ON dlq_run_edits TO dlq_retry;

CREATE TABLE dlq_run_events (
  run_id bigint NOT NULL,
  event_id bigint NOT NULL,
  "position" integer NOT NULL,
  failure_count integer NOT NULL,
  status text NOT NULL,
  leased_until timestamp with time zone,
  target text,
  retry_after timestamp with time zone,
  processed_at timestamp with time zone,
  lost smallint NOT NULL DEFAULT 0,
  outcome text NOT NULL DEFAULT 'waiting'::text,
  reason text,
  detail text,
  settled_at timestamp with time zone,
  sent_digest bytea,
  scheduled_for timestamp with time zone,
  CONSTRAINT dlq_run_events_leased_while_waiting CHECK (leased_until IS NULL OR outcome = 'waiting'::text),
  CONSTRAINT dlq_run_events_outcome CHECK (outcome = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text, 'skipped'::text])),
  CONSTRAINT dlq_run_events_pkey PRIMARY KEY (run_id, event_id),
  CONSTRAINT dlq_run_events_settled CHECK ((outcome = 'waiting'::text) = (settled_at IS NULL))
);
CREATE INDEX dlq_run_events_by_outcome ON dlq_run_events USING btree (run_id, outcome, "position");
CREATE INDEX dlq_run_events_leased ON dlq_run_events USING btree (leased_until) WHERE leased_until IS NOT NULL;
CREATE TRIGGER dlq_run_events_count_outcomes AFTER UPDATE ON dlq_run_events REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_run_outcomes();
CREATE TRIGGER dlq_run_events_end_holds AFTER UPDATE ON dlq_run_events REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION dlq_end_settled_holds();
COMMENT ON TABLE dlq_run_events IS 'Selections of replays: one event of one run each, frozen when the run was created, with its outcome.';
GRANT INSERT (run_id, event_id, "position", failure_count, status, scheduled_for), SELECT ON dlq_run_events TO dlq_console;
GRANT SELECT ON dlq_run_events TO dlq_readonly;
GRANT INSERT (run_id, event_id, "position", failure_count, status, scheduled_for), SELECT, UPDATE (status, leased_until, target, retry_after, processed_at, lost, outcome, reason, detail, settled_at, sent_digest) ON dlq_run_events TO dlq_replay;
GRANT SELECT, UPDATE (status, leased_until, target, retry_after, processed_at, lost, outcome, reason, detail, settled_at, sent_digest) ON dlq_run_events TO dlq_retry;

CREATE TABLE dlq_run_workers (
  run_id bigint NOT NULL,
  slot integer NOT NULL,
  token uuid,
  alive_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  CONSTRAINT dlq_run_workers_pkey PRIMARY KEY (run_id, slot),
  CONSTRAINT dlq_run_workers_run_id_fkey FOREIGN KEY (run_id) REFERENCES dlq_runs(id) ON DELETE CASCADE
);
COMMENT ON TABLE dlq_run_workers IS 'Worker slots of open runs: their number limits the workers of a run, and each worker holds one.';
GRANT SELECT ON dlq_run_workers TO dlq_readonly;
GRANT DELETE, INSERT, SELECT, UPDATE (token, alive_until) ON dlq_run_workers TO dlq_retry;

CREATE TABLE dlq_runs (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  trigger text NOT NULL,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  due_at timestamp with time zone,
  allowance integer,
  ended_at timestamp with time zone,
  stopped text,
  tally jsonb NOT NULL DEFAULT '{}'::jsonb,
  targets jsonb NOT NULL DEFAULT '{}'::jsonb,
  requested_by text,
  reason text,
  request jsonb,
  request_hash text,
  idempotency_key text,
  patch json,
  is_edited boolean NOT NULL DEFAULT false,
  origins jsonb,
  excluded jsonb,
  selected integer,
  selection_hash text,
  delivered integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  waiting integer GENERATED ALWAYS AS (selected - delivered - failed - skipped) STORED,
  in_flight integer NOT NULL DEFAULT 0,
  progressed_at timestamp with time zone,
  recent text NOT NULL DEFAULT ''::text,
  rollout jsonb NOT NULL DEFAULT '{}'::jsonb,
  stage_began_at timestamp with time zone NOT NULL DEFAULT now(),
  stage_began_with integer NOT NULL DEFAULT 0,
  paused_because text,
  CONSTRAINT dlq_runs_edited CHECK (patch IS NULL OR is_edited),
  CONSTRAINT dlq_runs_pkey PRIMARY KEY (id),
  CONSTRAINT dlq_runs_progress CHECK (LEAST(delivered, failed, skipped, in_flight) >= 0 AND in_flight <= waiting),
  CONSTRAINT dlq_runs_selected CHECK ((trigger = 'replay'::text) = (selected IS NOT NULL)),
  CONSTRAINT dlq_runs_stopped_when_ended CHECK ((ended_at IS NULL) = (stopped IS NULL)),
  CONSTRAINT dlq_runs_trigger CHECK (trigger = ANY (ARRAY['schedule'::text, 'replay'::text]))
);
CREATE INDEX dlq_runs_busy_ticks ON dlq_runs USING btree (id) WHERE trigger = 'schedule'::text AND (ended_at IS NULL OR ((tally ->> 'claimed'::text)::integer) > 0);
CREATE UNIQUE INDEX dlq_runs_idempotency_key ON dlq_runs USING btree (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX dlq_runs_open ON dlq_runs USING btree (id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX dlq_runs_open_tick ON dlq_runs USING btree (trigger) WHERE trigger = 'schedule'::text AND ended_at IS NULL;
CREATE INDEX dlq_runs_replays ON dlq_runs USING btree (id) WHERE trigger = 'replay'::text;
CREATE INDEX dlq_runs_started ON dlq_runs USING btree (started_at);
CREATE TRIGGER dlq_runs_end_holds AFTER UPDATE OF ended_at ON dlq_runs FOR EACH ROW WHEN (new.is_edited AND old.ended_at IS NULL AND new.ended_at IS NOT NULL AND new.waiting > 0) EXECUTE FUNCTION dlq_end_waiting_holds();
COMMENT ON TABLE dlq_runs IS 'Runs: one retry tick or one replay each, with beginning, end and tally.';
COMMENT ON COLUMN dlq_runs.delivered IS 'Counted by a trigger on dlq_run_events, like failed, skipped, in_flight, progressed_at and recent. No role may write it.';
GRANT INSERT (trigger, ended_at, stopped, requested_by, reason, request, request_hash, idempotency_key, patch, is_edited, origins, excluded, selected, selection_hash, rollout), SELECT, UPDATE (ended_at, stopped, recent, rollout, stage_began_at, stage_began_with, paused_because) ON dlq_runs TO dlq_console;
GRANT SELECT ON dlq_runs TO dlq_maintain;
GRANT SELECT ON dlq_runs TO dlq_readonly;
GRANT INSERT (trigger, ended_at, stopped, requested_by, reason, request, request_hash, idempotency_key, patch, is_edited, origins, excluded, selected, selection_hash, rollout), SELECT, UPDATE (ended_at, stopped, recent, rollout, stage_began_at, stage_began_with, paused_because) ON dlq_runs TO dlq_replay;
GRANT INSERT (trigger, due_at, allowance), SELECT, UPDATE (due_at, allowance, ended_at, stopped, tally, targets, paused_because) ON dlq_runs TO dlq_retry;

CREATE TABLE dlq_sends (
  lease_token uuid NOT NULL,
  event_ids bigint[] NOT NULL,
  sent_at timestamp with time zone NOT NULL DEFAULT now()
) WITH (toast_tuple_target=8160);
CREATE INDEX dlq_sends_lease ON dlq_sends USING btree (lease_token);
COMMENT ON TABLE dlq_sends IS 'Deliveries that workers have begun, by lease. If a worker dies, only these events lose a retry.';
GRANT SELECT ON dlq_sends TO dlq_readonly;
GRANT INSERT (lease_token, event_ids), SELECT ON dlq_sends TO dlq_replay;
GRANT DELETE, INSERT (lease_token, event_ids), SELECT ON dlq_sends TO dlq_retry;

CREATE OR REPLACE FUNCTION public.dlq_add_other_captures(metadata jsonb, before jsonb, received jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN (count(captures.facts) = 0) THEN dlq_add_other_captures.metadata ELSE (COALESCE(dlq_add_other_captures.metadata, '{}'::jsonb) || jsonb_build_object('otherCaptures', jsonb_agg(captures.facts ORDER BY captures.place))) END AS "case" FROM (SELECT captures_1.facts, min(captures_1.place) AS place FROM (SELECT jsonb_array_elements.value AS facts, jsonb_array_elements.ordinality AS place FROM jsonb_array_elements(CASE jsonb_typeof((dlq_add_other_captures.metadata -> 'otherCaptures'::text)) WHEN 'array'::text THEN (dlq_add_other_captures.metadata -> 'otherCaptures'::text) ELSE '[]'::jsonb END) WITH ORDINALITY jsonb_array_elements(value, ordinality) UNION ALL VALUES (dlq_add_other_captures.before,1000), (dlq_add_other_captures.received,1001)) captures_1 WHERE (dlq_without(captures_1.facts, '{sourceKind}'::text[]) <> '{}'::jsonb) GROUP BY captures_1.facts ORDER BY (min(captures_1.place)) LIMIT 20) captures);
COMMENT ON FUNCTION dlq_add_other_captures(jsonb,jsonb,jsonb) IS 'Metadata with the facts in which other captures of the event differ, for up to 20 captures.';

CREATE OR REPLACE FUNCTION public.dlq_begin_aggregation()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  lock table public.dlq_counts_hourly in share update exclusive mode nowait;
  return true;
exception when lock_not_available then
  return false;
end
$function$;
COMMENT ON FUNCTION dlq_begin_aggregation() IS 'Locks the aggregation of counts; false if another session holds the lock.';
GRANT EXECUTE ON FUNCTION dlq_begin_aggregation() TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_begin_aggregation() TO dlq_maintain;
GRANT EXECUTE ON FUNCTION dlq_begin_aggregation() TO dlq_replay;
GRANT EXECUTE ON FUNCTION dlq_begin_aggregation() TO dlq_retry;

CREATE OR REPLACE FUNCTION public.dlq_capture(event_type text, payload jsonb, error_reason text DEFAULT NULL::text, error_stacktrace text DEFAULT NULL::text, error_class text DEFAULT NULL::text, event_id text DEFAULT NULL::text, body bytea DEFAULT NULL::bytea, content_type text DEFAULT NULL::text, headers jsonb DEFAULT '{}'::jsonb, source_kind text DEFAULT 'sql'::text, source_topic text DEFAULT NULL::text, source_partition integer DEFAULT NULL::integer, source_offset bigint DEFAULT NULL::bigint, source_key text DEFAULT NULL::text, source_subscription text DEFAULT NULL::text, consumer_group text DEFAULT NULL::text, source_attempts integer DEFAULT NULL::integer, trace_id text DEFAULT NULL::text, metadata jsonb DEFAULT NULL::jsonb, occurred_at timestamp with time zone DEFAULT NULL::timestamp with time zone, source_key_bytes bytea DEFAULT NULL::bytea, max_recurrences integer DEFAULT 10, error_kind text DEFAULT NULL::text, retry_after timestamp with time zone DEFAULT NULL::timestamp with time zone, max_retries integer DEFAULT NULL::integer, priority integer DEFAULT NULL::integer)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $function$
  select id
  from coalesce(event_id, substring(headers ->> 'dlo-event-id' from '^(?!\d{1,18}\.[\da-f]{32}$).+$')) as own_id
  cross join lateral coalesce(body, convert_to(payload::text, 'UTF8')) as bytes
  cross join lateral json_build_object(
    'event_type', event_type,
    'is_type_told', event_type <> 'unknown',
    'event_id', own_id,
    'body_start', 1,
    'body_length', length(bytes),
    'payload_encoding', 'json',
    'printed_as', case when body is null then 'payload' end,
    'content', payload::text,
    'content_rank', case when body is null then 1 else 2 end,
    'content_type', content_type,
    'headers', headers,
    'error_reason', error_reason,
    'error_stacktrace', error_stacktrace, 'error_class', error_class,
    'source_kind', source_kind,
    'source_topic', source_topic,
    'source_partition', source_partition, 'source_offset', source_offset,
    'source_key', source_key,
    'source_key_bytes', encode(source_key_bytes, 'base64'),
    'source_subscription', source_subscription,
    'consumer_group', consumer_group,
    'source_attempts', source_attempts,
    'trace_id', trace_id,
    'metadata', metadata,
    'occurred_at', occurred_at,
    'decision', array[error_kind, max_retries::text, priority::text]
  ) as facts
  cross join lateral json_build_object(
    'event_key', case
        when own_id <> '' then 'id:' || own_id
        when source_topic <> '' and source_partition is not null and source_offset is not null
          then format('kafka:%s/%s/%s', source_topic, source_partition, source_offset)
        else 'sql:' || gen_random_uuid()
      end || coalesce('@' || coalesce(source_subscription, consumer_group), ''),
    'is_key_per_delivery', false,
    'redelivery', substring(headers ->> 'dlo-event-id' from '^\d{1,18}\.[\da-f]{32}$'),
    'delivery_id', 'request:' || translate(encode(substring(sha256(convert_to(facts::text, 'UTF8') || bytes) for 9), 'base64'), '+/', '-_'),
    'is_delivery_guessed', occurred_at is null
  ) as identity
  cross join lateral public.dlq_capture_events(
    json_build_array(facts::jsonb || identity::jsonb || public.dlq_decision(error_kind, retry_after, max_retries, priority, metadata)),
    bytes, max_recurrences, 600)
$function$;
COMMENT ON FUNCTION dlq_capture(text,jsonb,text,text,text,text,bytea,text,jsonb,text,text,integer,bigint,text,text,text,integer,text,jsonb,timestamp with time zone,bytea,integer,text,timestamp with time zone,integer,integer) IS 'Captures one failure within the transaction of an application. Returns the id of its event.';
GRANT EXECUTE ON FUNCTION dlq_capture(text,jsonb,text,text,text,text,bytea,text,jsonb,text,text,integer,bigint,text,text,text,integer,text,jsonb,timestamp with time zone,bytea,integer,text,timestamp with time zone,integer,integer) TO dlq_capture;
GRANT EXECUTE ON FUNCTION dlq_capture(text,jsonb,text,text,text,text,bytea,text,jsonb,text,text,integer,bigint,text,text,text,integer,text,jsonb,timestamp with time zone,bytea,integer,text,timestamp with time zone,integer,integer) TO dlq_reporter;

CREATE OR REPLACE FUNCTION public.dlq_capture_events(captures json, bodies bytea, max_recurrences integer, repeat_seconds double precision)
 RETURNS TABLE(place integer, id bigint, is_new boolean, conflicts_with bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  sequence regclass := pg_get_serial_sequence('public.dlq_events', 'id');
  -- By place. All ids are taken in the first round: events get them in the order of the request, in whichever round they
  -- are stored.
  ids bigint[];
  keys text[];
  levels integer[];
  firsts bigint[];
  -- Places whose captures are not stored yet, null before the first round, and those of one round.
  pending integer[];
  places integer[];
  reserved bigint[];
  stored bigint[];
  resolved text[];
  same boolean[];
  next_levels integer[];
begin
  loop
    -- Insert the first capture of each key. Sorted by key: two statements with the same events must lock in the same order.
    with identified as materialized (
      select received.*, coalesce(ids[place], nextval(sequence)) as new_id, coalesce(
        keys[place],
        -- The event of a redelivery, if the token is its token.
        case when redelivery is not null then (
          select known.event_key
          from public.dlq_events as known
          where known.id = split_part(redelivery, '.', 1)::bigint
            and known.redelivery_token = split_part(redelivery, '.', 2)::uuid
        ) end,
        case
          when is_key_per_delivery or received.event_key ~ '^(sha256|sql):' then null
          -- The capture knows its consumer: the event with this consumer, else the one that knows none. The first is looked up only
          -- if the second exists: usually neither does.
          when consumer is not null then (
            select coalesce(
              (select own.event_key from public.dlq_events as own where own.event_key = received.event_key), known.event_key)
            from public.dlq_events as known
            where known.event_key = left(received.event_key, -1 - length(consumer))
          )
          -- It knows none: the event that knows none, else the only one that does.
          else (
            select case when count(*) = 1 then coalesce(
              (select own.event_key from public.dlq_events as own where own.event_key = received.event_key), min(known.event_key)) end
            from public.dlq_events as known
            -- Bytewise, A follows @: all keys that begin with this one and @.
            where known.event_key >= received.event_key || '@' and known.event_key < received.event_key || 'A'
              and known.event_key = received.event_key || '@'
                || public.dlq_key_consumer(known.event_key, known.source_subscription, known.consumer_group)
          )
        end,
        joins_key,
        received.event_key
      ) as known_key
      from (
        select capture.*, ordinality::integer as place,
          public.dlq_key_consumer(event_key, source_subscription, consumer_group) as consumer
        from json_populate_recordset(null::public.dlq_captured, captures) with ordinality as capture
        where pending is null or ordinality = any (pending)
      ) as received
    ),
    inserted as (
      insert into public.dlq_events (
        id, event_key, delivery_id, event_type, is_type_told, event_id, payload, payload_encoding, body, printed_as, content_rank,
        content_type, headers, error_reason, error_stacktrace, error_class, source_kind, source_topic, source_partition,
        source_offset, source_key, source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id,
        occurred_at, metadata, fingerprint, status, processed_at, failure_kind, retry_after, max_retries, priority
      )
      select distinct on (known_key)
        new_id, known_key, delivery_id, event_type, coalesce(is_type_told, true), event_id,
        public.dlq_message_payload(payload_encoding, bytes, content), payload_encoding, case when printed_as is null then bytes end,
        nullif(printed_as, 'payload'), coalesce(content_rank, 4), content_type, coalesce(headers, '{}'),
        coalesce(error_reason, 'not reported'), error_stacktrace, error_class, source_kind, source_topic, source_partition, source_offset,
        source_key, decode(source_key_bytes, 'base64'), source_subscription, consumer_group, source_attempts, trace_id, occurred_at,
        case
          when firsts[place] is not null then coalesce(metadata, '{}') || jsonb_build_object('conflictsWith', firsts[place]::text)
          when joins_key = known_key then coalesce(metadata, '{}') || jsonb_build_object('keyConsumer', consumer)
          else metadata
        end,
        fingerprint, case when is_final then 'FAILED_PERMANENTLY' else 'PENDING' end, case when is_final then now() end,
        error_kind, coalesce(public.dlq_retry_time(retry_after), now()), max_retries, coalesce(priority, 0)
      from identified
      cross join lateral (select substring(bodies from body_start for body_length) as bytes) as message
      cross join lateral (select coalesce(error_kind = 'permanent' or max_retries = 0, false) as is_final) as decision
      order by known_key, place
      on conflict (event_key) do nothing
      returning id
    )
    select array_agg(place), array_agg(known_key), array_agg(new_id), array_agg(inserted.id)
    into places, resolved, reserved, stored
    from identified
    left join inserted on inserted.id = new_id;

    return query
    select done.place, done.id, true, firsts[done.place]
    from unnest(places, stored) as done (place, id)
    where done.id is not null;

    -- As a rule all are new.
    exit when array_position(stored, null) is null;
    pending := '{}';
    for i in 1 .. coalesce(cardinality(places), 0) loop
      if stored[i] is null then
        pending := pending || places[i];
        ids[places[i]] := reserved[i];
        keys[places[i]] := resolved[i];
      end if;
    end loop;

    -- The others have an event. Those that contradict it get a key of their own, and another round.
    select array_agg(known.place), array_agg(known.id), array_agg(known.is_same), array_agg(known.next_key),
      array_agg(known.next_level)
    into places, stored, same, resolved, next_levels
    from public.dlq_complete_events(captures, bodies, pending, keys, levels, max_recurrences, repeat_seconds) as known;

    return query
    select done.place, done.id, false, firsts[done.place]
    from unnest(places, stored, same) as done (place, id, is_same)
    where done.is_same;

    for i in 1 .. coalesce(cardinality(places), 0) loop
      if not same[i] then
        firsts[places[i]] := coalesce(firsts[places[i]], stored[i]);
        keys[places[i]] := resolved[i];
        levels[places[i]] := next_levels[i];
      end if;
    end loop;
    pending := array(
      select unnest(pending) except select place from unnest(places, same) as done (place, is_same) where is_same);
    exit when cardinality(pending) = 0;
  end loop;
end
$function$;
COMMENT ON FUNCTION dlq_capture_events(json,bytea,integer,double precision) IS 'Captures a batch of failures, given as JSON; the capture function calls it.';
GRANT EXECUTE ON FUNCTION dlq_capture_events(json,bytea,integer,double precision) TO dlq_capture;

CREATE OR REPLACE FUNCTION public.dlq_complete_events(captures json, bodies bytea, places integer[], keys text[], levels integer[], max_recurrences integer, repeat_seconds double precision)
 RETURNS TABLE(place integer, id bigint, is_same boolean, next_key text, next_level integer)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
begin
  -- A statement of its own, so that the next one sees what the lock waited for.
  perform from public.dlq_events as event
  where event.event_key = any (array(select keys[pending] from unnest(places) as pending))
  order by event.event_key
  for update;

  return query
  with received as materialized (
    select
      capture.*, ordinality::integer as place, coalesce(content_rank, 4) as rank, coalesce(is_type_told, true) as is_told,
      public.dlq_key_consumer(event_key, source_subscription, consumer_group) as consumer,
      bytes, public.dlq_message_payload(payload_encoding, bytes, content) as payload
    from json_populate_recordset(null::public.dlq_captured, captures) with ordinality as capture
    cross join lateral (select substring(bodies from body_start for body_length) as bytes) as message
    where ordinality = any (places)
  ),
  judged as materialized (
    select
      event.id, received.place, identity.is_same, has_equal_bytes,
      has_same_content and received.rank > event.content_rank as takes_content,
      not is_redelivered and received.rank >= 3 and event.content_rank < 3 as is_copy,
      coalesce(
        received.is_key_per_delivery and not is_redelivered
          or (received.delivery_id = event.delivery_id or received.delivery_id = any (event.earlier_delivery_ids))
            and (received.is_delivery_guessed is not true or event.last_failure_at > now() - make_interval(secs => repeat_seconds)
              -- Only its content identifies it, so that no id of a redelivery can come back: in doubt it failed again.
              and not (event.event_key like 'sha256:%' and not is_redelivered and event.status in ('PROCESSING', 'SUCCEEDED'))),
        false) as is_repetition
    from received
    join public.dlq_events as event on event.event_key = keys[received.place]
    cross join lateral (
      select
        coalesce(received.redelivery = public.dlq_redelivery(event.id, event.redelivery_token), false) as is_redelivered,
        public.dlq_equals_body(received.bytes, received.printed_as, received.payload, event.body, event.printed_as,
          event.payload, event.payload_encoding) as has_equal_bytes
    ) as equality
    cross join lateral (
      select has_equal_bytes or received.payload = event.payload or 'none' in (received.payload_encoding, event.payload_encoding)
        as has_same_content
    ) as content
    cross join lateral (
      select is_redelivered or coalesce(levels[received.place], 0) > 1 or has_same_content
        and (received.event_type = event.event_type or not (received.is_told and event.is_type_told))
        and coalesce(received.source_topic = event.source_topic, true)
        and coalesce(public.dlq_message_time(received.event_key, received.occurred_at, received.metadata)
          = public.dlq_message_time(event.event_key, event.occurred_at, event.metadata), true)
        and coalesce(received.consumer = coalesce(
          public.dlq_key_consumer(event.event_key, event.source_subscription, event.consumer_group),
          event.metadata ->> 'keyConsumer'), true) as is_same
    ) as identity
  ),
  ruled as (
    select distinct on (judged.id)
      judged.*,
      received.is_told and not event.is_type_told
        or event.event_type = 'unknown' and received.event_type <> 'unknown' as takes_type,
      -- Coordinates belong to one transport.
      event.source_partition is null and event.source_offset is null
        and (event.source_topic is null or coalesce(event.source_topic = received.source_topic, false))
        and (event.source_kind = received.source_kind or event.content_rank < 3 or received.rank < 3) as takes_position,
      (takes_content or event.source_key is null and event.source_key_bytes is null)
        and num_nonnulls(received.source_key, received.source_key_bytes) > 0 as takes_key,
      coalesce(received.error_reason <> event.error_reason, false)
        and (event.error_reason = 'not reported' or is_failure
          -- A bridge lost the stack trace, and with it the cause.
          or takes_content and event.content_rank = 3 and event.error_stacktrace is null
            and received.error_stacktrace is not null) as takes_reason,
      coalesce(received.error_reason = event.error_reason, true) as adds_to_reason,
      is_failure, is_failure and event.status <> 'PENDING' as has_recurred,
      -- A copy is the same failure: it decides what the report left open.
      not (is_repetition or is_copy and (event.status <> 'PENDING' or coalesce(event.metadata ? 'decided', false))) as decides
    from judged
    join received using (place)
    join public.dlq_events as event on event.id = judged.id
    cross join lateral (select not (is_repetition or is_copy) as is_failure) as failing
    where judged.is_same
    order by judged.id, judged.place
  ),
  merged as (
    select
      ruled.*,
      case when takes_type then received.event_type else event.event_type end as event_type,
      coalesce(event.event_id, received.event_id) as event_id,
      coalesce(case when takes_content then received.content_type end, event.content_type) as content_type,
      case when takes_content then coalesce(received.headers, '{}') else event.headers end as headers,
      case when takes_reason then received.error_reason else event.error_reason end as error_reason,
      case
        when takes_reason and event.error_reason <> 'not reported' then received.error_class
        else coalesce(event.error_class, case when takes_reason or adds_to_reason then received.error_class end)
      end as error_class,
      case
        when takes_reason and event.error_reason <> 'not reported' then received.error_stacktrace
        else coalesce(event.error_stacktrace, case when takes_reason or adds_to_reason then received.error_stacktrace end)
      end as error_stacktrace,
      coalesce(event.source_topic, case when takes_position then received.source_topic end) as source_topic,
      case when takes_position then received.source_partition else event.source_partition end as source_partition,
      case when takes_position then received.source_offset else event.source_offset end as source_offset,
      case when takes_key then received.source_key else event.source_key end as source_key,
      coalesce(event.source_subscription, received.source_subscription) as source_subscription,
      coalesce(event.consumer_group, received.consumer_group) as consumer_group,
      greatest(event.source_attempts, received.source_attempts) as source_attempts,
      coalesce(event.trace_id, received.trace_id) as trace_id,
      coalesce(event.occurred_at, received.occurred_at) as occurred_at,
      -- An event whose key names no consumer belongs to the first one that a capture names.
      public.dlq_merge_metadata(event.metadata, received.metadata, takes_content, decides, keys_consumer) as metadata
    from ruled
    join received using (place)
    join public.dlq_events as event on event.id = ruled.id
    cross join lateral (
      select case
        when received.consumer is null or event.event_key = received.event_key or event.metadata ? 'keyConsumer' then '{}'
        else jsonb_build_object('keyConsumer', received.consumer)
      end as keys_consumer
    ) as joining
  ),
  completed as (
    update public.dlq_events as event
    set event_type = merged.event_type,
        is_type_told = event.is_type_told or received.is_told,
        event_id = merged.event_id,
        payload = case when takes_content then received.payload else event.payload end,
        payload_encoding = case when takes_content then received.payload_encoding else event.payload_encoding end,
        body = case when not takes_content then event.body when received.printed_as is null then received.bytes end,
        printed_as = case when takes_content then nullif(received.printed_as, 'payload') else event.printed_as end,
        content_rank = case when takes_content then received.rank else event.content_rank end,
        content_type = merged.content_type,
        headers = merged.headers,
        error_reason = merged.error_reason,
        error_class = merged.error_class,
        error_stacktrace = merged.error_stacktrace,
        fingerprint = case merged_failure
          when public.dlq_failure_facts(event.event_type, event.source_subscription, event.consumer_group, event.error_reason,
            event.error_class, event.error_stacktrace) then event.fingerprint
          when public.dlq_failure_facts(received.event_type, received.source_subscription, received.consumer_group,
            received.error_reason, received.error_class, received.error_stacktrace) then received.fingerprint
          -- Neither capture alone says all of it: maintenance computes it.
        end,
        first_error_reason = case when keeps_first then event.error_reason else event.first_error_reason end,
        first_error_class = case when keeps_first then event.error_class else event.first_error_class end,
        first_error_stacktrace = case when keeps_first then event.error_stacktrace else event.first_error_stacktrace end,
        first_fingerprint = case when keeps_first then event.fingerprint else event.first_fingerprint end,
        source_topic = merged.source_topic,
        source_partition = merged.source_partition,
        source_offset = merged.source_offset,
        source_key = merged.source_key,
        source_key_bytes = case when takes_key then decode(received.source_key_bytes, 'base64') else event.source_key_bytes end,
        source_subscription = merged.source_subscription,
        consumer_group = merged.consumer_group,
        source_attempts = merged.source_attempts,
        trace_id = merged.trace_id,
        occurred_at = merged.occurred_at,
        delivery_id = case when is_repetition then event.delivery_id else coalesce(received.delivery_id, event.delivery_id) end,
        earlier_delivery_ids = case
          when is_repetition or event.delivery_id is null or received.delivery_id is not distinct from event.delivery_id
            then event.earlier_delivery_ids
          else (array_prepend(event.delivery_id, event.earlier_delivery_ids))[:100]
        end,
        status = next_status,
        failure_kind = case when decides and (is_failure or received.error_kind is not null) then received.error_kind else event.failure_kind end,
        max_retries = coalesce(case when decides then received.max_retries end, event.max_retries),
        -- A consumer that says the same priority again does not overrule an operator.
        priority = case when decides and received.priority::text <> coalesce(event.metadata #>> '{decided,priority}', '')
          then received.priority else event.priority end,
        failure_count = event.failure_count + has_recurred::int,
        retry_after = coalesce(case when decides then public.dlq_retry_time(received.retry_after) end,
          case when has_recurred then now() else event.retry_after end),
        processed_at = case
          when next_status = event.status and not has_recurred then event.processed_at
          when next_status = 'FAILED_PERMANENTLY' then now()
        end,
        -- Not now() alone: a transaction that began before the other committed has an earlier now().
        last_failure_at = case when is_failure then greatest(event.last_failure_at, now()) else event.last_failure_at end,
        metadata = public.dlq_add_other_captures(
          merged.metadata,
          public.dlq_facts_not_shown(public.dlq_shown_facts(event.event_type, event.event_id, event.content_type, event.headers,
            case when not keeps_first then event.error_reason end, case when not keeps_first then event.error_class end,
            case when not keeps_first then event.error_stacktrace end, event.source_kind, event.source_topic,
            event.source_partition, event.source_offset, event.source_key, event.trace_id, event.occurred_at,
            case when not coalesce(merged.metadata -> 'decided' @> (event.metadata -> 'decided'), true)
              then jsonb_build_object('decided', event.metadata -> 'decided') end,
            case when is_replaced then event.payload end, case when is_replaced then event.body end,
            case when is_replaced then event.printed_as end), shown),
          public.dlq_facts_not_shown(public.dlq_shown_facts(received.event_type, received.event_id, received.content_type, received.headers,
            received.error_reason, received.error_class, received.error_stacktrace, received.source_kind, received.source_topic,
            received.source_partition, received.source_offset, received.source_key, received.trace_id, received.occurred_at,
            case when received.metadata ? 'decided' or not event.metadata @> received.metadata then received.metadata end,
            case when not (takes_content or has_equal_bytes) then received.payload end,
            case when not (takes_content or has_equal_bytes) then received.bytes end, null), shown)),
        updated_at = case when is_repetition then event.updated_at else now() end
    from merged
    join received using (place)
    cross join lateral (
      select
        public.dlq_shown_facts(merged.event_type, merged.event_id, merged.content_type, merged.headers, merged.error_reason,
          merged.error_class, merged.error_stacktrace, null, merged.source_topic, merged.source_partition,
          merged.source_offset, merged.source_key, merged.trace_id, merged.occurred_at,
          case when merged.metadata @> received.metadata then received.metadata end, null, null, null) as shown,
        public.dlq_failure_facts(merged.event_type, merged.source_subscription, merged.consumer_group, merged.error_reason,
          merged.error_class, merged.error_stacktrace) as merged_failure
    ) as facts
    cross join lateral (
      select
        takes_content and not has_equal_bytes as is_replaced,
        takes_reason and not is_repetition and known.error_reason <> 'not reported' and known.first_error_reason is null as keeps_first,
        public.dlq_next_status(known.status, has_recurred, decides,
          coalesce(received.error_kind = 'permanent' or received.max_retries <= known.retry_count, false),
          known.failure_count >= max_recurrences) as next_status
      from public.dlq_events as known
      where known.id = merged.id
    ) as outcome
    where event.id = merged.id
  )
  select
    judged.place, judged.id, judged.is_same,
    case
      when judged.is_same then null
      -- It was compared with the event of its id that knows more, or less, of the consumer.
      when next.level = 0 then received.event_key
      else public.dlq_conflict_key(received.event_key, next.level, received.payload,
        public.dlq_message_time(received.event_key, received.occurred_at, received.metadata), received.event_type,
        received.source_topic)
    end,
    next.level
  from judged
  join received using (place)
  left join ruled using (place)
  cross join lateral (
    select case
      when coalesce(levels[received.place], 0) = 0 and keys[received.place] <> received.event_key then 0
      else coalesce(levels[received.place], 0) + 1
    end as level
  ) as next
  where not judged.is_same or ruled.place is not null;
end
$function$;
COMMENT ON FUNCTION dlq_complete_events(json,bytea,integer[],text[],integer[],integer,double precision) IS 'Adds captures to known events. dlq_capture_events calls it.';

CREATE OR REPLACE FUNCTION public.dlq_complete_state()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if new.status = 'PROCESSING' then
    new.lease_token := coalesce(new.lease_token, gen_random_uuid());
    new.lease_expires_at := coalesce(new.lease_expires_at, now() + interval '5 minutes');
  else
    new.lease_token := null;
    new.lease_expires_at := null;
  end if;
  if new.status in ('SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED') then
    new.processed_at := coalesce(new.processed_at, now());
  else
    -- Plain SQL opens it again.
    if tg_op = 'UPDATE' and new.status = 'PENDING' and old.processed_at is not null then
      new.reopened_at := now();
      new.edit_run_id := null;
      new.retry_after := case when new.retry_after = 'infinity' then now() else new.retry_after end;
    end if;
    new.processed_at := null;
  end if;
  return new;
end
$function$;
COMMENT ON FUNCTION dlq_complete_state() IS 'Trigger: completes lease, processed_at and reopened_at for a status that plain SQL set.';

CREATE OR REPLACE FUNCTION public.dlq_conflict_key(event_key text, level integer, payload jsonb, message_time text, event_type text, source_topic text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((event_key || '#'::text) || "left"(encode(sha256(convert_to((((payload)::text || COALESCE(message_time, ''::text)) || CASE WHEN (level > 1) THEN (quote_literal(event_type) || quote_nullable(source_topic)) ELSE ''::text END), 'UTF8'::name)), 'hex'::text), 24));
COMMENT ON FUNCTION dlq_conflict_key(text,integer,jsonb,text,text,text) IS 'The key of a capture that contradicts the event of its key.';

CREATE OR REPLACE FUNCTION public.dlq_count_captured()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into public.dlq_count_deltas
  select
    date_trunc('hour', created_at, 'UTC'), event_type, coalesce(fingerprint, ''), lease_expires_at,
    count(*) filter (where status = 'PENDING'), count(*) filter (where status = 'PROCESSING'),
    count(*) filter (where status = 'SUCCEEDED'), count(*) filter (where status = 'FAILED_PERMANENTLY'),
    count(*) filter (where status = 'DISCARDED'), count(*) filter (where restored_at is null), 0, 0, 0,
    count(*) filter (where status = 'FAILED_PERMANENTLY' and restored_at is null), 0, max(id), min(created_at),
    greatest(max(last_failure_at), min(created_at)),
    count(*) filter (where metadata ? 'conflictsWith' and restored_at is null)
  from captured
  group by 1, 2, 3, 4;
  return null;
end
$function$;
COMMENT ON FUNCTION dlq_count_captured() IS 'Trigger: counts inserted events.';

CREATE OR REPLACE FUNCTION public.dlq_count_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_nestloop TO 'off'
AS $function$
begin
  -- An upsert that only inserts fires this trigger too.
  if not exists (select from became) then
    return null;
  end if;
  insert into public.dlq_count_deltas
  with moves as materialized (
    select
      was.event_type as old_type, coalesce(was.fingerprint, '') as old_fingerprint, was.lease_expires_at as old_lease,
      was.status as old_status, became.event_type, coalesce(became.fingerprint, '') as fingerprint,
      became.lease_expires_at as lease, became.status, count(*) as events,
      sum(greatest(became.failure_count - was.failure_count, 0)) as recurrences,
      sum(greatest(became.retry_count - was.retry_count, 0)) as retry_failures,
      count(*) filter (where became.status <> was.status and became.processed_at >= least(was.updated_at, now())) as entered,
      max(became.last_failure_at) as last_seen_at,
      case when was.fingerprint is distinct from became.fingerprint then date_trunc('hour', became.created_at, 'UTC') end as captured,
      max(became.id) as sample_event_id, min(became.created_at) as first_seen_at
    from was
    join became using (id)
    where was.status <> became.status or was.lease_expires_at is distinct from became.lease_expires_at
      or was.retry_count <> became.retry_count or was.failure_count <> became.failure_count
      or was.fingerprint is distinct from became.fingerprint or was.event_type <> became.event_type
    group by 1, 2, 3, 4, 5, 6, 7, 8, captured
  )
  select
    hour, type, side.fingerprint, side.lease,
    coalesce(sum(change) filter (where side.status = 'PENDING'), 0),
    coalesce(sum(change) filter (where side.status = 'PROCESSING'), 0),
    coalesce(sum(change) filter (where side.status = 'SUCCEEDED'), 0),
    coalesce(sum(change) filter (where side.status = 'FAILED_PERMANENTLY'), 0),
    coalesce(sum(change) filter (where side.status = 'DISCARDED'), 0),
    sum(captures), coalesce(sum(recurrences) filter (where is_new), 0), coalesce(sum(retry_failures) filter (where is_new), 0),
    coalesce(sum(entered) filter (where is_new and side.status = 'SUCCEEDED'), 0),
    coalesce(sum(entered) filter (where is_new and side.status = 'FAILED_PERMANENTLY'), 0),
    coalesce(sum(entered) filter (where is_new and side.status = 'DISCARDED'), 0),
    max(sample_event_id) filter (where captures > 0), min(first_seen_at) filter (where captures > 0),
    max(last_seen_at) filter (where is_new and recurrences > 0 or captures > 0)
  from moves
  cross join lateral (values
    (date_trunc('hour', now(), 'UTC'), event_type, moves.fingerprint, lease, moves.status, events, 0, true),
    (date_trunc('hour', now(), 'UTC'), old_type, old_fingerprint, old_lease, old_status, -events, 0, false),
    (captured, old_type, moves.fingerprint, null, null, 0, events, false),
    (captured, old_type, old_fingerprint, null, null, 0, -events, false)
  ) as side (hour, type, fingerprint, lease, status, change, captures, is_new)
  where hour is not null
  group by 1, 2, 3, 4;
  return null;
end
$function$;
COMMENT ON FUNCTION dlq_count_changed() IS 'Trigger: counts updated events.';

CREATE OR REPLACE FUNCTION public.dlq_count_removed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if tg_op = 'TRUNCATE' then
    perform public.dlq_recount();
    return null;
  end if;
  insert into public.dlq_count_deltas
  select
    date_trunc('hour', now(), 'UTC'), event_type, coalesce(fingerprint, ''), lease_expires_at,
    -count(*) filter (where status = 'PENDING'), -count(*) filter (where status = 'PROCESSING'),
    -count(*) filter (where status = 'SUCCEEDED'), -count(*) filter (where status = 'FAILED_PERMANENTLY'),
    -count(*) filter (where status = 'DISCARDED'), 0, 0, 0, 0, 0, 0, null, null, null
  from removed
  group by 1, 2, 3, 4;
  return null;
end
$function$;
COMMENT ON FUNCTION dlq_count_removed() IS 'Trigger: counts deleted events, and recounts after TRUNCATE.';

CREATE OR REPLACE FUNCTION public.dlq_count_run_outcomes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  -- Every settlement fires this trigger, that of a tick without rows.
  if not exists (select from new_rows) then
    return null;
  end if;
  update public.dlq_runs as run
  set delivered = run.delivered + change.delivered,
      failed = run.failed + change.failed,
      skipped = run.skipped + change.skipped,
      in_flight = run.in_flight + change.in_flight,
      progressed_at = case when change.settled <> 0 then clock_timestamp() else run.progressed_at end,
      recent = right(run.recent || change.outcomes, coalesce((run.rollout #>> '{gate,window}')::integer, 0)),
      ended_at = case when run.ended_at is null and run.waiting = change.settled then clock_timestamp() else run.ended_at end,
      stopped = case when run.ended_at is null and run.waiting = change.settled then 'all done' else run.stopped end
  from (
    select
      run_id,
      count(*) filter (where new_row.outcome = 'delivered') - count(*) filter (where old_row.outcome = 'delivered') as delivered,
      count(*) filter (where new_row.outcome = 'failed') - count(*) filter (where old_row.outcome = 'failed') as failed,
      count(*) filter (where new_row.outcome = 'skipped') - count(*) filter (where old_row.outcome = 'skipped') as skipped,
      count(new_row.leased_until) - count(old_row.leased_until) as in_flight,
      count(*) filter (where old_row.outcome = 'waiting') - count(*) filter (where new_row.outcome = 'waiting') as settled,
      coalesce(string_agg(left(new_row.outcome, 1), '' order by new_row.settled_at, event_id) filter (
        where old_row.outcome = 'waiting' and new_row.outcome in ('delivered', 'failed')), '') as outcomes
    from new_rows as new_row
    join old_rows as old_row using (run_id, event_id)
    group by run_id
  ) as change
  where run.id = change.run_id;

  -- After the update, whose lock of the run makes concurrent statements wait for each other.
  insert into public.dlq_run_counts as counts (run_id, at, outcome, reason, events)
  select
    run_id, date_bin(width, settled_at, '2000-01-01T00:00:00Z'), settled.outcome, coalesce(settled.reason, ''), sum(change)
  from (
    select run_id, settled_at, outcome, reason, 1 as change from new_rows where settled_at is not null
    union all
    select run_id, settled_at, outcome, reason, -1 from old_rows where settled_at is not null
  ) as settled
  join public.dlq_runs as run on run.id = run_id
  cross join lateral (
    select case
      when settled_at < started_at + interval '10 minutes' then interval '5 seconds'
      when settled_at < started_at + interval '6 hours' then interval '1 minute'
      else interval '1 hour'
    end as width
  ) as step
  group by 1, 2, 3, 4
  having sum(change) <> 0
  on conflict (run_id, at, outcome, reason) do update set events = counts.events + excluded.events;
  return null;
end
$function$;
COMMENT ON FUNCTION dlq_count_run_outcomes() IS 'Trigger: keeps the progress of a run and its counts exact.';

CREATE OR REPLACE FUNCTION public.dlq_create_archive_partitions(ahead integer)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
 SET lock_timeout TO '3s'
AS $function$
declare
  starts_at timestamptz;
  ends_at timestamptz;
  partition text;
begin
  -- The lock of ATTACH PARTITION, taken early. Not an advisory lock: any login could hold that.
  lock table only public.dlq_events_archive in share update exclusive mode;
  -- The event with the lowest id is nearly always the oldest, and min(created_at) would read the whole table. Older events go
  -- to the default partition, and from there to their month with the next call.
  select date_trunc('month', greatest(least(now(), min(oldest)), now() - interval '5 years')) into starts_at
  from (
    (select created_at as oldest from public.dlq_events order by id limit 1)
    union all
    select min(created_at) from public.dlq_events_archive_default
  ) as events;
  while starts_at <= now() + make_interval(months => ahead) loop
    ends_at := starts_at + interval '1 month';
    partition := 'dlq_events_archive_' || to_char(starts_at, 'YYYY_MM');
    if to_regclass('public.' || partition) is null then
      execute format('create table public.%I (like public.dlq_events_archive)', partition);
      execute format(
        'with moved as (delete from public.dlq_events_archive_default where created_at >= $1 and created_at < $2 returning *)
         insert into public.%I select * from moved', partition) using starts_at, ends_at;
      execute format(
        'alter table public.dlq_events_archive attach partition public.%I for values from (%L) to (%L)', partition, starts_at, ends_at);
      return next partition;
    end if;
    starts_at := ends_at;
  end loop;
end
$function$;
COMMENT ON FUNCTION dlq_create_archive_partitions(integer) IS 'Creates the monthly partitions of the archive, some months ahead.';
GRANT EXECUTE ON FUNCTION dlq_create_archive_partitions(integer) TO dlq_maintain;

CREATE OR REPLACE FUNCTION public.dlq_damaged(metadata jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (jsonb_typeof((metadata -> 'damaged'::text)) = 'array'::text) THEN (metadata -> 'damaged'::text) ELSE NULL::jsonb END;
COMMENT ON FUNCTION dlq_damaged(jsonb) IS 'The key and headers of a message that a bridge damaged, or null.';
GRANT EXECUTE ON FUNCTION dlq_damaged(jsonb) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_damaged(jsonb) TO dlq_replay;
GRANT EXECUTE ON FUNCTION dlq_damaged(jsonb) TO dlq_retry;

CREATE OR REPLACE FUNCTION public.dlq_decision(error_kind text, retry_after timestamp with time zone, max_retries integer, priority integer, metadata jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (SELECT jsonb_build_object('error_kind', usable.kind, 'retry_after', usable.retry_time, 'max_retries', usable.retries, 'priority', usable.rank, 'metadata', CASE WHEN (num_nonnulls(named.decided, named.ignored) = 0) THEN dlq_decision.metadata ELSE (COALESCE(dlq_decision.metadata, '{}'::jsonb) || jsonb_strip_nulls(jsonb_build_object('decided', named.decided, 'ignored', (COALESCE((dlq_decision.metadata -> 'ignored'::text), '{}'::jsonb) || named.ignored)))) END) AS jsonb_build_object FROM ((SELECT CASE WHEN (dlq_decision.error_kind = ANY (ARRAY['transient'::text, 'permanent'::text])) THEN dlq_decision.error_kind ELSE NULL::text END AS kind, CASE WHEN (isfinite(dlq_decision.retry_after) AND (dlq_decision.retry_after <= (now() + '1 year'::interval))) THEN to_json(dlq_decision.retry_after) ELSE NULL::json END AS retry_time, CASE WHEN (dlq_decision.max_retries >= 0) THEN dlq_decision.max_retries ELSE NULL::integer END AS retries, CASE WHEN ((dlq_decision.priority >= '-32768'::integer) AND (dlq_decision.priority <= 32767)) THEN dlq_decision.priority ELSE NULL::integer END AS rank) usable CROSS JOIN LATERAL (SELECT NULLIF(jsonb_strip_nulls(jsonb_build_object('kind', usable.kind, 'retryAfter', usable.retry_time, 'maxRetries', usable.retries, 'priority', usable.rank)), '{}'::jsonb) AS decided, NULLIF(jsonb_strip_nulls(jsonb_build_object('error_kind', CASE WHEN (usable.kind IS NULL) THEN NULLIF(dlq_decision.error_kind, ''::text) ELSE NULL::text END, 'retry_after', CASE WHEN (usable.retry_time IS NULL) THEN dlq_decision.retry_after ELSE NULL::timestamp with time zone END, 'max_retries', CASE WHEN (usable.retries IS NULL) THEN dlq_decision.max_retries ELSE NULL::integer END, 'priority', CASE WHEN (usable.rank IS NULL) THEN dlq_decision.priority ELSE NULL::integer END)), '{}'::jsonb) AS ignored) named));
COMMENT ON FUNCTION dlq_decision(text,timestamp with time zone,integer,integer,jsonb) IS 'How an application decided to retry, as facts of its capture.';

CREATE OR REPLACE FUNCTION public.dlq_drop_archive_partition(month date, events bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '3s'
AS $function$
declare
  partition regclass := to_regclass('public.dlq_events_archive_' || to_char(month, 'YYYY_MM'));
  found bigint;
begin
  if partition is null then
    return false;
  end if;
  lock table only public.dlq_events_archive;
  if events is not null then
    execute format('select count(*) from %s', partition) into found;
    if found <> events then
      return false;
    end if;
  end if;
  execute format('alter table public.dlq_events_archive detach partition %s', partition);
  execute format('alter table %s rename to %I', partition, 'dlq_events_dropped_' || to_char(month, 'YYYY_MM'));
  return true;
end
$function$;
COMMENT ON FUNCTION dlq_drop_archive_partition(date,bigint) IS 'Detaches one month from the archive, for deletion.';
GRANT EXECUTE ON FUNCTION dlq_drop_archive_partition(date,bigint) TO dlq_maintain;

CREATE OR REPLACE FUNCTION public.dlq_end_holds(run bigint, ids bigint[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  update public.dlq_events as event
  set status = case when event.status = 'PENDING' and not returns then 'FAILED_PERMANENTLY' else event.status end,
      processed_at = case when event.status = 'PENDING' and not returns then now() else event.processed_at end,
      retry_after = case when event.status = 'PENDING' and returns then coalesce(scheduled_for, now()) else event.retry_after end,
      edit_run_id = case when not returns then run end,
      updated_at = now()
  from public.dlq_run_events as run_event
  cross join lateral (
    select coalesce(reason = 'patch', outcome = 'waiting' and scheduled_for is not null) as returns
  ) as hold
  where run_event.run_id = run and run_event.leased_until is null and run_event.outcome in ('waiting', 'failed', 'skipped')
    and (ids is null and run_event.outcome = 'waiting' or run_event.event_id = any (ids))
    and event.id = run_event.event_id and event.edit_run_id = run
    and (event.status = 'PENDING' or reason = 'patch')
$function$;
COMMENT ON FUNCTION dlq_end_holds(bigint,bigint[]) IS 'Ends the hold of a replay on open events that it does not send edited after all.';

CREATE OR REPLACE FUNCTION public.dlq_end_settled_holds()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform public.dlq_end_holds(run.id, array_agg(event_id))
  from new_rows
  join public.dlq_runs as run on run.id = run_id and run.is_edited
  where leased_until is null and (outcome in ('failed', 'skipped') or outcome = 'waiting' and ended_at is not null)
  group by run.id;
  return null;
end
$function$;
COMMENT ON FUNCTION dlq_end_settled_holds() IS 'Trigger: ends the holds of events that an edited replay has settled without a delivery.';

CREATE OR REPLACE FUNCTION public.dlq_end_waiting_holds()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform public.dlq_end_holds(new.id, null);
  return null;
end
$function$;
COMMENT ON FUNCTION dlq_end_waiting_holds() IS 'Trigger: ends the holds of events that wait in an edited replay when it is cancelled.';

CREATE OR REPLACE FUNCTION public.dlq_equals_body(bytes bytea, received_as text, received jsonb, body bytea, printed_as text, payload jsonb, payload_encoding text)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN (body IS NOT NULL) THEN (bytes = body) WHEN (printed_as IS NOT NULL) THEN COALESCE(((received_as = printed_as) AND (received = payload)), false) WHEN (payload_encoding = 'base64'::text) THEN COALESCE((translate(encode(bytes, 'base64'::text), '
'::text, ''::text) = (payload #>> '{}'::text[])), false) WHEN (payload_encoding = 'text'::text) THEN COALESCE((bytes = convert_to((payload #>> '{}'::text[]), 'UTF8'::name)), false) ELSE (bytes = convert_to((payload)::text, 'UTF8'::name)) END;
COMMENT ON FUNCTION dlq_equals_body(bytea,text,jsonb,bytea,text,jsonb,text) IS 'Whether a capture has the bytes of an event.';

CREATE OR REPLACE FUNCTION public.dlq_error_title(error_class text, error_reason text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  class text := nullif(left(error_class, 200), '');
  message text := nullif(nullif(ltrim(left(error_reason, 4096), E' \t\r\n'), ''), 'not reported');
  words text := left(rtrim(split_part(message, E'\n', 1), E'\r'), 300);
  head text := split_part(words, ': ', 1);
begin
  return case
    when words is null then class
    when class is null or right(head, length(class)) = class then words
    when right(class, length(head)) = head then class || substr(words, length(head) + 1)
    else class || ': ' || words
  end;
end
$function$;
COMMENT ON FUNCTION dlq_error_title(text,text) IS 'Class and message of an error in one line, as titles of error groups show them.';
GRANT EXECUTE ON FUNCTION dlq_error_title(text,text) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_error_title(text,text) TO dlq_readonly;
GRANT EXECUTE ON FUNCTION dlq_error_title(text,text) TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_facts_not_shown(facts jsonb, shown jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT jsonb_object_agg(jsonb_each.key, jsonb_each.value) AS jsonb_object_agg FROM jsonb_each(dlq_facts_not_shown.facts) jsonb_each(key, value) WHERE ((jsonb_each.value <> ALL (ARRAY['null'::jsonb, '{}'::jsonb, '"not reported"'::jsonb, '"unknown"'::jsonb])) AND (jsonb_each.value IS DISTINCT FROM (dlq_facts_not_shown.shown -> jsonb_each.key))));
COMMENT ON FUNCTION dlq_facts_not_shown(jsonb,jsonb) IS 'The facts of one capture that the row of its event does not show.';

CREATE OR REPLACE FUNCTION public.dlq_failure_facts(event_type text, source_subscription text, consumer_group text, error_reason text, error_class text, error_stacktrace text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ARRAY[event_type, COALESCE(source_subscription, consumer_group), COALESCE(error_reason, 'not reported'::text), error_class, error_stacktrace];
COMMENT ON FUNCTION dlq_failure_facts(text,text,text,text,text,text) IS 'The facts that the fingerprint of an event is computed from.';

CREATE OR REPLACE FUNCTION public.dlq_keep_edit()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if new.status = 'PROCESSING' or old.status = 'PENDING' then
    new.retry_after := 'infinity';
  else
    new.status := 'FAILED_PERMANENTLY';
    new.processed_at := now();
  end if;
  return new;
end
$function$;
COMMENT ON FUNCTION dlq_keep_edit() IS 'Trigger: keeps an event with an edit from the schedule, which would send the captured message.';

CREATE OR REPLACE FUNCTION public.dlq_keep_first_failure()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  call_stack text;
begin
  get diagnostics call_stack = pg_context;
  if call_stack like '%dlq\_complete\_events(%' then
    return new;
  end if;
  if new.first_error_reason is null
    and (old.error_reason <> 'not reported' or num_nonnulls(old.error_class, old.error_stacktrace) > 0) then
    new.first_error_reason := old.error_reason;
    new.first_error_class := old.error_class;
    new.first_error_stacktrace := old.error_stacktrace;
    new.first_fingerprint := old.fingerprint;
  end if;
  if new.error_stacktrace is not distinct from old.error_stacktrace then
    new.error_stacktrace := null;
    if new.error_class = old.error_class then
      new.error_class := null;
    end if;
  end if;
  if new.fingerprint = old.fingerprint then
    new.fingerprint := null;
  end if;
  return new;
end
$function$;
COMMENT ON FUNCTION dlq_keep_first_failure() IS 'Trigger: keeps the first failure of an event whose error_reason plain SQL changed, and removes its fingerprint.';

CREATE OR REPLACE FUNCTION public.dlq_key_consumer(event_key text, source_subscription text, consumer_group text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ("right"(event_key, (length(source_subscription) + 1)) = ('@'::text || source_subscription)) THEN source_subscription WHEN ("right"(event_key, (length(consumer_group) + 1)) = ('@'::text || consumer_group)) THEN consumer_group ELSE NULL::text END;
COMMENT ON FUNCTION dlq_key_consumer(text,text,text) IS 'The consumer at the end of an event key, or null.';

CREATE OR REPLACE FUNCTION public.dlq_latest_event(fingerprints text[])
 RETURNS TABLE(id bigint, event_type text, error_class text, error_reason text, title text, source_kind text, source_topic text, source_subscription text, consumer_group text)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
AS $function$
  select event.*
  from pg_catalog.unnest(fingerprints) as member
  cross join lateral (
    select
      id, event_type, error_class, error_reason, public.dlq_error_title(error_class, error_reason), source_kind, source_topic,
      source_subscription, consumer_group
    from public.dlq_events
    where fingerprint operator(pg_catalog.=) member
    order by fingerprint desc, id desc
    limit 1
  ) as event
  order by event.id desc
  limit 1
$function$;
COMMENT ON FUNCTION dlq_latest_event(text[]) IS 'The event of these error groups that was captured last.';
GRANT EXECUTE ON FUNCTION dlq_latest_event(text[]) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_latest_event(text[]) TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_merge_metadata(known jsonb, received jsonb, takes_content boolean, decides boolean, more jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN NULLIF((((COALESCE(dlq_without(received, CASE WHEN takes_content THEN '{decided}'::text[] ELSE ARRAY['damaged'::text, 'inexact'::text, 'decided'::text] END), '{}'::jsonb) || COALESCE(dlq_without(known, CASE WHEN takes_content THEN ARRAY['damaged'::text, 'inexact'::text] ELSE '{}'::text[] END), '{}'::jsonb)) || CASE WHEN (decides AND (jsonb_typeof((received -> 'decided'::text)) = 'object'::text)) THEN jsonb_build_object('decided', (COALESCE((known -> 'decided'::text), '{}'::jsonb) || (received -> 'decided'::text))) ELSE '{}'::jsonb END) || more), '{}'::jsonb);
COMMENT ON FUNCTION dlq_merge_metadata(jsonb,jsonb,boolean,boolean,jsonb) IS 'The metadata of an event and of a later capture.';

CREATE OR REPLACE FUNCTION public.dlq_message_bytes(payload jsonb, payload_encoding text, body bytea, printed_as text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (body IS NOT NULL) THEN octet_length(body) WHEN (printed_as <> 'payload'::text) THEN (split_part(printed_as, ' '::text, 1))::integer WHEN (payload_encoding = 'text'::text) THEN octet_length((payload #>> '{}'::text[])) WHEN (payload_encoding = 'base64'::text) THEN (((length((payload #>> '{}'::text[])) / 4) * 3) - (length((payload #>> '{}'::text[])) - length(rtrim((payload #>> '{}'::text[]), '='::text)))) ELSE NULL::integer END;
COMMENT ON FUNCTION dlq_message_bytes(jsonb,text,bytea,text) IS 'The number of bytes of a message, or null.';
GRANT EXECUTE ON FUNCTION dlq_message_bytes(jsonb,text,bytea,text) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_message_bytes(jsonb,text,bytea,text) TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_message_payload(payload_encoding text, bytes bytea, content text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE payload_encoding WHEN 'json'::text THEN (COALESCE(content, convert_from(bytes, 'UTF8'::name)))::jsonb WHEN 'text'::text THEN to_jsonb(convert_from(bytes, 'UTF8'::name)) WHEN 'base64'::text THEN to_jsonb(translate(encode(bytes, 'base64'::text), '
'::text, ''::text)) ELSE 'null'::jsonb END;
COMMENT ON FUNCTION dlq_message_payload(text,bytea,text) IS 'The queryable view of a message.';

CREATE OR REPLACE FUNCTION public.dlq_message_time(event_key text, occurred_at timestamp with time zone, metadata jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN (event_key ~~ 'sha256:%'::text) THEN COALESCE((EXTRACT(epoch FROM occurred_at))::text, (metadata ->> 'deadLetteredAt'::text)) ELSE NULL::text END;
COMMENT ON FUNCTION dlq_message_time(text,timestamp with time zone,jsonb) IS 'The time that tells messages apart whose key is a digest of their content.';

CREATE OR REPLACE FUNCTION public.dlq_next_status(status text, has_recurred boolean, decides boolean, is_final boolean, is_spent boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((status = 'PROCESSING'::text) OR (NOT (has_recurred OR (decides AND (status = 'PENDING'::text))))) THEN status WHEN (is_final OR (has_recurred AND is_spent)) THEN 'FAILED_PERMANENTLY'::text ELSE 'PENDING'::text END;
COMMENT ON FUNCTION dlq_next_status(text,boolean,boolean,boolean,boolean) IS 'The status of an event after a later capture.';

CREATE OR REPLACE FUNCTION public.dlq_notify()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform pg_notify('dlq_events', row_to_json(counts)::text)
  from (
    select
      sum(captures) as captures, sum(recurrences) as recurrences, sum(retry_failures) as retry_failures,
      sum(deliveries) as deliveries, sum(permanent_failures) as permanent_failures, sum(discards) as discards
    from counted
    having count(*) > 0
  ) as counts;
  return null;
end
$function$;
COMMENT ON FUNCTION dlq_notify() IS 'Trigger: notifies the channel dlq_events of the counts of a statement, with dlo.notify = on.';

CREATE OR REPLACE FUNCTION public.dlq_purge_dropped_events(after bigint, page integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  dropped regclass;
  ids bigint[];
begin
  select oid into dropped
  from pg_class
  where relname ~ '^dlq_events_dropped_\d{4}_\d{2}$'
    and relnamespace = 'public'::regnamespace
  order by relname
  limit 1;
  if dropped is null then
    return null;
  end if;
  execute format('select array(select id from %s where id > $1 order by id limit $2)', dropped) into ids using after, page;
  if cardinality(ids) = 0 then
    execute format('drop table %s', dropped);
    return 0;
  end if;
  delete from public.dlq_attempts where event_id = any (ids);
  return ids[cardinality(ids)];
end
$function$;
COMMENT ON FUNCTION dlq_purge_dropped_events(bigint,integer) IS 'Deletes detached months of the archive and the attempts of their events, page by page.';
GRANT EXECUTE ON FUNCTION dlq_purge_dropped_events(bigint,integer) TO dlq_maintain;

CREATE OR REPLACE FUNCTION public.dlq_record_breaker_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into public.dlq_breaker_changes (target, state)
  values (new.target, case new.state when 'CLOSED' then 'CLOSED' else 'OPEN' end);
  return null;
end
$function$;
COMMENT ON FUNCTION dlq_record_breaker_change() IS 'Trigger: records when a breaker opens or closes.';

CREATE OR REPLACE FUNCTION public.dlq_recount()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  lock table public.dlq_counts_current in share update exclusive mode;
  insert into public.dlq_count_deltas
  select
    date_trunc('hour', now(), 'UTC'), event_type, fingerprint, lease_expires_at, sum(pending), sum(processing),
    sum(succeeded), sum(failed_permanently), sum(discarded), 0, 0, 0, 0, 0, 0, null, null, null
  from (
    select
      event_type, coalesce(fingerprint, '') as fingerprint, lease_expires_at, (status = 'PENDING')::int as pending,
      (status = 'PROCESSING')::int as processing, (status = 'SUCCEEDED')::int as succeeded,
      (status = 'FAILED_PERMANENTLY')::int as failed_permanently, (status = 'DISCARDED')::int as discarded
    from public.dlq_events
    union all
    select event_type, fingerprint, lease_expires_at, -pending, -processing, -succeeded, -failed_permanently, -discarded
    from public.dlq_counts_current_exact
  ) as differences
  group by event_type, fingerprint, lease_expires_at
  having (sum(pending), sum(processing), sum(succeeded), sum(failed_permanently), sum(discarded)) <> (0, 0, 0, 0, 0);
end
$function$;
COMMENT ON FUNCTION dlq_recount() IS 'Corrects the current counts by reading all events. Needed only after changes that bypassed the triggers.';

CREATE OR REPLACE FUNCTION public.dlq_redelivery(id bigint, redelivery_token uuid)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((id)::text || '.'::text) || replace((redelivery_token)::text, '-'::text, ''::text));
COMMENT ON FUNCTION dlq_redelivery(bigint,uuid) IS 'The dlo-event-id of every redelivery of an event: <id>.<token>.';
GRANT EXECUTE ON FUNCTION dlq_redelivery(bigint,uuid) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_redelivery(bigint,uuid) TO dlq_replay;
GRANT EXECUTE ON FUNCTION dlq_redelivery(bigint,uuid) TO dlq_retry;

CREATE OR REPLACE FUNCTION public.dlq_refusal(created_at timestamp with time zone, reopened_at timestamp with time zone, last_failure_at timestamp with time zone, status text, failure_kind text, error_class text, rules json)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN (GREATEST(created_at, reopened_at) < (now() - make_interval(secs => ((rules ->> 'maxAgeSeconds'::text))::double precision))) THEN 'expired'::text WHEN (reopened_at >= last_failure_at) THEN NULL::text WHEN ((status = 'PROCESSING'::text) AND (failure_kind = 'permanent'::text)) THEN 'permanent'::text WHEN ((failure_kind IS NULL) AND (error_class IS NOT NULL) AND ('permanent'::text = (SELECT (lists.listed ->> 'kind'::text) FROM json_array_elements((dlq_refusal.rules -> 'errorClasses'::text)) WITH ORDINALITY lists(listed, place) WHERE (dlq_refusal.error_class ~~ (lists.listed ->> 'pattern'::text)) ORDER BY lists.place LIMIT 1))) THEN 'permanent'::text ELSE NULL::text END;
COMMENT ON FUNCTION dlq_refusal(timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text,text,json) IS 'Why the schedule does not deliver a due event: it has expired, or its failure is permanent; null if it does.';
GRANT EXECUTE ON FUNCTION dlq_refusal(timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text,text,json) TO dlq_retry;

CREATE OR REPLACE FUNCTION public.dlq_restore_events(ids bigint[])
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  -- A team may have added columns of its own.
  columns text := (
    select string_agg(quote_ident(attname), ', ' order by attnum)
    from pg_attribute
    where attrelid = 'public.dlq_events'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      and attname <> 'restored_at');
begin
  return query execute format($sql$
    with archived as (
      -- Locked: two calls restore an event once.
      select * from public.dlq_events_archive where id = any ($1) for update
    ),
    restored as (
      insert into public.dlq_events (%1$s, restored_at) select %1$s, now() from archived on conflict do nothing returning id
    )
    delete from public.dlq_events_archive where id in (select id from restored) returning id
  $sql$, columns) using ids;
end
$function$;
COMMENT ON FUNCTION dlq_restore_events(bigint[]) IS 'Moves archived events back to dlq_events, with the same ids.';
GRANT EXECUTE ON FUNCTION dlq_restore_events(bigint[]) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_restore_events(bigint[]) TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_retry_time(retry_after text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN (retry_after ~ '^[\d.]+$'::text) THEN (now() + make_interval(secs => (retry_after)::double precision)) WHEN (retry_after IS NOT NULL) THEN GREATEST((retry_after)::timestamp with time zone, now()) ELSE NULL::timestamp with time zone END;
COMMENT ON FUNCTION dlq_retry_time(text) IS 'The time at which a consumer wants a retry, not before now.';

CREATE OR REPLACE FUNCTION public.dlq_shown_facts(event_type text, event_id text, content_type text, headers jsonb, error_reason text, error_class text, error_stacktrace text, source_kind text, source_topic text, source_partition integer, source_offset bigint, source_key text, trace_id text, occurred_at timestamp with time zone, metadata jsonb, payload jsonb, body bytea, printed_as text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN jsonb_build_object('eventType', event_type, 'eventId', event_id, 'contentType', content_type, 'headers', headers, 'errorReason', error_reason, 'errorClass', error_class, 'errorStacktrace', error_stacktrace, 'sourceKind', source_kind, 'sourceTopic', source_topic, 'sourcePartition', source_partition, 'sourceOffset', source_offset, 'sourceKey', source_key, 'traceId', trace_id, 'occurredAt', occurred_at, 'metadata', metadata, 'payload', payload, 'bodyBase64', encode(body, 'base64'::text), 'printedAs', printed_as);
COMMENT ON FUNCTION dlq_shown_facts(text,text,text,jsonb,text,text,text,text,text,integer,bigint,text,text,timestamp with time zone,jsonb,jsonb,bytea,text) IS 'The facts by which two captures of one event may differ.';

CREATE OR REPLACE FUNCTION public.dlq_skip_reason(status text, is_leased boolean, is_edited boolean, include_succeeded boolean, include_discarded boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((status = 'PROCESSING'::text) AND is_leased) THEN 'leased'::text WHEN ((status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text])) AND is_edited) THEN 'edited'::text WHEN ((status = 'SUCCEEDED'::text) AND (NOT include_succeeded)) THEN 'delivered'::text WHEN ((status = 'DISCARDED'::text) AND (NOT include_discarded)) THEN 'discarded'::text ELSE NULL::text END;
COMMENT ON FUNCTION dlq_skip_reason(text,boolean,boolean,boolean,boolean) IS 'Why a replay skips an event in this state; null if it may be replayed.';
GRANT EXECUTE ON FUNCTION dlq_skip_reason(text,boolean,boolean,boolean,boolean) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_skip_reason(text,boolean,boolean,boolean,boolean) TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_without(metadata jsonb, names text[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (jsonb_typeof(metadata) = 'object'::text) THEN (metadata - names) ELSE metadata END;
COMMENT ON FUNCTION dlq_without(jsonb,text[]) IS 'Metadata without the members of these names.';
