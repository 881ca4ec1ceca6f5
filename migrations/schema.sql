-- What the migrations add up to. Written by npm run schema, never by hand; a test compares it.

CREATE VIEW dlq_all_captures AS
 SELECT event.id AS event_id,
    NULL::bigint AS id,
    1 AS failure,
    event.created_at AS told_at,
    COALESCE((event.arrival ->> 'origin'::text) = 'report'::text, event.arrival IS NULL AND event.is_exact IS FALSE) AS is_report,
    true AS is_proven,
    event.arrival ->> 'delivery_id'::text AS delivery_id,
    NULL::integer AS attempt,
    event.arrival ->> 'publication'::text AS publication,
    event.arrival ->> 'consumer'::text AS consumer
   FROM dlq_events event
UNION ALL
 SELECT dlq_captures.event_id,
    dlq_captures.id,
    dlq_captures.failure,
    LEAST(dlq_captures.failed_at, dlq_captures.captured_at) AS told_at,
    dlq_captures.is_report,
    dlq_captures.is_proven,
    dlq_captures.delivery_id,
    dlq_captures.attempt,
    dlq_captures.publication,
    dlq_captures.consumer
   FROM dlq_captures
  WHERE NOT dlq_captures.is_original WITH (security_invoker=true);
COMMENT ON VIEW dlq_all_captures IS 'Captures of events, of which each event itself is the first.';
GRANT SELECT ON dlq_all_captures TO dlq_readonly;

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
GRANT SELECT ON dlq_attempts TO dlq_replay;
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
CREATE INDEX dlq_audit_view ON dlq_audit USING btree ((details ->> 'view'::text), (details ->> 'owner'::text), id DESC) WHERE details ? 'view'::text;
COMMENT ON TABLE dlq_audit IS 'Audit: every action of an operator. No role may update or delete rows.';
GRANT INSERT (actor, action, reason, run_id, event_id, closes, details), SELECT ON dlq_audit TO dlq_console;
GRANT INSERT (action, details), SELECT (at, actor, action, closes) ON dlq_audit TO dlq_maintain;
GRANT SELECT ON dlq_audit TO dlq_readonly;
GRANT INSERT (actor, action, reason, run_id, closes, details), SELECT ON dlq_audit TO dlq_replay;

CREATE TABLE dlq_audit_events (
  event_id bigint NOT NULL,
  audit_id bigint NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  status text,
  priority smallint,
  retry_count integer,
  retry_after timestamp with time zone,
  processed_at timestamp with time zone,
  reopened_at timestamp with time zone,
  failure_count integer,
  delivery_count integer,
  edit_id bigint,
  undone_by bigint,
  CONSTRAINT dlq_audit_events_pkey PRIMARY KEY (audit_id, event_id)
);
CREATE INDEX dlq_audit_events_edited ON dlq_audit_events USING btree (event_id) WHERE edit_id IS NOT NULL AND undone_by IS NULL;
CREATE INDEX dlq_audit_events_event ON dlq_audit_events USING btree (event_id, audit_id);
COMMENT ON TABLE dlq_audit_events IS 'Audit: the events that each action changed, as they were before.';
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
    min(event.created_at) AS oldest_waiting
   FROM ( SELECT placed.id,
            placed.is_open,
            placed.created_at,
                CASE
                    WHEN placed.consumer = ''::text THEN min(placed.place) OVER of_key
                    ELSE LEAST(min(placed.place) OVER own, min(placed.place) FILTER (WHERE placed.consumer = ''::text) OVER of_key)
                END AS first
           FROM ( SELECT dlq_events.id,
                    dlq_events.created_at,
                    dlq_events.last_failure_at,
                    dlq_events.first_failure_at,
                    dlq_events.lane,
                    dlq_events.retry_after,
                    dlq_events.updated_at,
                    dlq_events.failure_count,
                    dlq_events.retry_count,
                    dlq_events.delivery_count,
                    dlq_events.failed_delivery,
                    dlq_events.priority,
                    dlq_events.is_exact,
                    dlq_events.is_open,
                    dlq_events.is_blocking,
                    dlq_events.lease_expires_at,
                    dlq_events.lease_token,
                    dlq_events.processed_at,
                    dlq_events.cause,
                    dlq_events.status,
                    dlq_events.failure_kind,
                    dlq_events.max_retries,
                    dlq_events.order_key,
                    dlq_events.edited_from,
                    dlq_events.event_type,
                    dlq_events.fingerprint,
                    dlq_events.event_key,
                    dlq_events.event_id,
                    dlq_events.source_key,
                    dlq_events.trace_id,
                    dlq_events.conflicts_with,
                    dlq_events.arrival,
                    dlq_events.redelivery_token,
                    dlq_events.payload,
                    dlq_events.body,
                    dlq_events.printed_as,
                    dlq_events.payload_encoding,
                    dlq_events.content_type,
                    dlq_events.headers,
                    dlq_events.source_kind,
                    dlq_events.source_topic,
                    dlq_events.source_partition,
                    dlq_events.source_offset,
                    dlq_events.source_key_bytes,
                    dlq_events.source_subscription,
                    dlq_events.consumer_group,
                    dlq_events.source_attempts,
                    dlq_events.metadata,
                    dlq_events.occurred_at,
                    dlq_events.error_reason,
                    dlq_events.error_class,
                    dlq_events.error_stacktrace,
                    dlq_events.answer,
                    dlq_events.reopened_at,
                    dlq_events.id_hashes,
                    consumer.consumer,
                    first_value(ARRAY[COALESCE(dlq_events.edited_from, dlq_events.id), dlq_events.id]) OVER (PARTITION BY dlq_events.order_key, consumer.consumer, (COALESCE(dlq_events.source_partition, '-1'::integer)) ORDER BY (COALESCE(
                        CASE
                            WHEN dlq_events.source_partition IS NOT NULL THEN dlq_events.source_offset
                            ELSE NULL::bigint
                        END, dlq_events.edited_from, dlq_events.id)), dlq_events.id) AS place
                   FROM dlq_events
                     CROSS JOIN LATERAL COALESCE(dlq_events.consumer_group, dlq_events.source_subscription, ''::text) consumer(consumer)
                  WHERE dlq_events.is_blocking AND (dlq_events.order_key IN ( SELECT dlq_events_1.order_key
                           FROM dlq_events dlq_events_1
                          WHERE dlq_events_1.is_blocking AND dlq_events_1.order_key IS NOT NULL
                          GROUP BY dlq_events_1.order_key
                         HAVING count(*) > 1))) placed
          WINDOW of_key AS (PARTITION BY placed.order_key), own AS (PARTITION BY placed.order_key, placed.consumer)) event
     JOIN dlq_events head ON head.id = event.first[2]
  WHERE event.is_open AND head.id <> event.id
  GROUP BY head.id
  ORDER BY (count(*)) DESC WITH (security_invoker=true);
COMMENT ON VIEW dlq_blocked_keys IS 'Keys whose events wait behind an earlier one, if their route is ordered. Reads all open events that have a key.';
GRANT SELECT ON dlq_blocked_keys TO dlq_readonly;

CREATE TABLE dlq_breakers (
  target text NOT NULL,
  cause bigint NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'CLOSED'::text,
  answer text,
  consecutive_failures integer NOT NULL DEFAULT 0,
  deliveries integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  opened_at timestamp with time zone,
  cooldown_seconds double precision,
  probes integer NOT NULL DEFAULT 1,
  probe_after timestamp with time zone,
  paused_until timestamp with time zone,
  pace double precision,
  peak double precision,
  held_at timestamp with time zone,
  held_by text,
  held_reason text,
  held_until timestamp with time zone,
  changes timestamp with time zone[] NOT NULL DEFAULT '{}'::timestamp with time zone[],
  tokens double precision,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT dlq_breakers_cause CHECK (cause >= '-2'::integer AND ((cause = ANY (ARRAY[0::bigint, '-1'::integer::bigint])) OR held_at IS NULL) AND (cause >= 0 OR state = 'CLOSED'::text AND (pace IS NOT NULL) = (cause = '-2'::integer))),
  CONSTRAINT dlq_breakers_held CHECK (num_nulls(held_at, held_by, held_reason, held_until) = ANY (ARRAY[0, 4])),
  CONSTRAINT dlq_breakers_opened CHECK ((state = 'CLOSED'::text) = (opened_at IS NULL) AND (state = 'CLOSED'::text) = (probe_after IS NULL)),
  CONSTRAINT dlq_breakers_pace CHECK (pace > 0::double precision AND peak > 0::double precision AND (pace IS NOT NULL OR num_nonnulls(peak, paused_until) = 0)),
  CONSTRAINT dlq_breakers_pkey PRIMARY KEY (target, cause),
  CONSTRAINT dlq_breakers_state CHECK (state = ANY (ARRAY['CLOSED'::text, 'OPEN'::text, 'HALF_OPEN'::text]))
);
COMMENT ON TABLE dlq_breakers IS 'Breakers: one row per target that ever failed or was held, one per cause that fails there, and one per rate limit of a route or a replay. An open one stops deliveries.';
COMMENT ON COLUMN dlq_breakers.cause IS 'Target and answer, as dlq_events.cause; 0: the target itself; -1: a hold of no target; -2: the rate limit of a route.';
GRANT INSERT (target, cause, held_at, held_by, held_reason, held_until), SELECT, UPDATE (paused_until, pace, held_at, held_by, held_reason, held_until) ON dlq_breakers TO dlq_console;
GRANT DELETE, SELECT ON dlq_breakers TO dlq_maintain;
GRANT SELECT ON dlq_breakers TO dlq_readonly;
GRANT INSERT (target, cause, held_at, held_by, held_reason, held_until), SELECT, UPDATE (paused_until, pace, held_at, held_by, held_reason, held_until) ON dlq_breakers TO dlq_replay;
GRANT INSERT, SELECT, UPDATE ON dlq_breakers TO dlq_retry;

CREATE TABLE dlq_captures (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  event_id bigint NOT NULL,
  captured_at timestamp with time zone NOT NULL DEFAULT now(),
  failure integer NOT NULL,
  is_first boolean NOT NULL DEFAULT false,
  is_report boolean NOT NULL DEFAULT false,
  is_proven boolean NOT NULL DEFAULT true,
  is_original boolean NOT NULL DEFAULT false,
  delivery_id text,
  attempt integer,
  publication text,
  failed_at timestamp with time zone,
  consumer text,
  facts jsonb NOT NULL,
  body bytea,
  CONSTRAINT dlq_captures_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX dlq_captures_attempt ON dlq_captures USING btree (event_id, attempt) WHERE is_first AND attempt IS NOT NULL;
CREATE UNIQUE INDEX dlq_captures_delivery ON dlq_captures USING btree (event_id, md5(delivery_id)) WHERE delivery_id IS NOT NULL;
CREATE INDEX dlq_captures_event ON dlq_captures USING btree (event_id, id);
COMMENT ON TABLE dlq_captures IS 'Captures of an event after its first: reports, copies, recurrences.';
GRANT SELECT ON dlq_captures TO dlq_console;
GRANT SELECT ON dlq_captures TO dlq_maintain;
GRANT SELECT ON dlq_captures TO dlq_readonly;
GRANT SELECT ON dlq_captures TO dlq_replay;

CREATE TABLE dlq_count_deltas (
  hour timestamp with time zone NOT NULL,
  event_type text NOT NULL,
  fingerprint text NOT NULL,
  pending bigint NOT NULL,
  processing bigint NOT NULL,
  succeeded bigint NOT NULL,
  failed_permanently bigint NOT NULL,
  discarded bigint NOT NULL,
  captures bigint NOT NULL,
  recurrences bigint NOT NULL,
  retry_failures bigint NOT NULL,
  deliveries bigint NOT NULL,
  permanent_failures bigint NOT NULL,
  discards bigint NOT NULL,
  sample_event_id bigint,
  first_seen_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  conflicts bigint NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_insert_threshold=-1, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
COMMENT ON TABLE dlq_count_deltas IS 'Counts: changes by statement, until they are aggregated into dlq_counts and dlq_error_groups.';
GRANT DELETE, SELECT ON dlq_count_deltas TO dlq_console;
GRANT DELETE, SELECT ON dlq_count_deltas TO dlq_maintain;
GRANT SELECT ON dlq_count_deltas TO dlq_readonly;
GRANT DELETE, SELECT ON dlq_count_deltas TO dlq_replay;
GRANT DELETE, SELECT ON dlq_count_deltas TO dlq_retry;

CREATE TABLE dlq_counts (
  hour timestamp with time zone,
  event_type text,
  fingerprint text,
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
  CONSTRAINT dlq_counts_grain UNIQUE NULLS NOT DISTINCT (hour, fingerprint, event_type),
  CONSTRAINT dlq_counts_in_all CHECK (num_nulls(fingerprint, event_type) = 0 OR fingerprint IS NULL AND num_nonnulls(hour, event_type) < 2)
) WITH (fillfactor=70);
CREATE INDEX dlq_counts_event_type ON dlq_counts USING btree (event_type, hour) WHERE hour IS NOT NULL;
CREATE INDEX dlq_counts_fingerprint ON dlq_counts USING btree (fingerprint, hour) WHERE hour IS NOT NULL;
CREATE INDEX dlq_counts_types ON dlq_counts USING btree (counted_since, event_type) WHERE hour IS NULL AND fingerprint IS NULL;
COMMENT ON TABLE dlq_counts IS 'Counts: events now and what happened so far, and what happened by hour, without dlq_count_deltas. Read dlq_depths and dlq_counts_by_hour.';
GRANT INSERT, SELECT, UPDATE ON dlq_counts TO dlq_console;
GRANT DELETE, INSERT, SELECT, UPDATE ON dlq_counts TO dlq_maintain;
GRANT SELECT ON dlq_counts TO dlq_readonly;
GRANT INSERT, SELECT, UPDATE ON dlq_counts TO dlq_replay;
GRANT INSERT, SELECT, UPDATE ON dlq_counts TO dlq_retry;

CREATE VIEW dlq_counts_by_hour AS
 SELECT hour,
    event_type,
    fingerprint,
    sum(captures)::bigint AS captures,
    sum(recurrences)::bigint AS recurrences,
    sum(retry_failures)::bigint AS retry_failures,
    sum(deliveries)::bigint AS deliveries,
    sum(permanent_failures)::bigint AS permanent_failures,
    sum(discards)::bigint AS discards
   FROM dlq_counts_exact
  WHERE hour IS NOT NULL
  GROUP BY hour, event_type, fingerprint WITH (security_invoker=true);
COMMENT ON VIEW dlq_counts_by_hour IS 'What happened, by hour (UTC), type and error group; after 8 days by day. Exact.';
GRANT SELECT ON dlq_counts_by_hour TO dlq_readonly;

CREATE VIEW dlq_counts_exact AS
 SELECT dlq_counts.hour,
    dlq_counts.event_type,
    dlq_counts.fingerprint,
    dlq_counts.pending,
    dlq_counts.processing,
    dlq_counts.succeeded,
    dlq_counts.failed_permanently,
    dlq_counts.discarded,
    dlq_counts.captures,
    dlq_counts.recurrences,
    dlq_counts.captures + dlq_counts.recurrences AS failures,
    dlq_counts.retry_failures,
    dlq_counts.deliveries,
    dlq_counts.permanent_failures,
    dlq_counts.discards
   FROM dlq_counts
  WHERE dlq_counts.fingerprint IS NOT NULL
UNION ALL
 SELECT deltas.of_hour AS hour,
    deltas.event_type,
    deltas.fingerprint,
    deltas.pending,
    deltas.processing,
    deltas.succeeded,
    deltas.failed_permanently,
    deltas.discarded,
    deltas.captures,
    deltas.recurrences,
    deltas.captures + deltas.recurrences AS failures,
    deltas.retry_failures,
    deltas.deliveries,
    deltas.permanent_failures,
    deltas.discards
   FROM ( SELECT dlq_count_deltas.hour AS of_hour,
            dlq_count_deltas.hour,
            dlq_count_deltas.event_type,
            dlq_count_deltas.fingerprint,
            dlq_count_deltas.pending,
            dlq_count_deltas.processing,
            dlq_count_deltas.succeeded,
            dlq_count_deltas.failed_permanently,
            dlq_count_deltas.discarded,
            dlq_count_deltas.captures,
            dlq_count_deltas.recurrences,
            dlq_count_deltas.retry_failures,
            dlq_count_deltas.deliveries,
            dlq_count_deltas.permanent_failures,
            dlq_count_deltas.discards,
            dlq_count_deltas.sample_event_id,
            dlq_count_deltas.first_seen_at,
            dlq_count_deltas.last_seen_at,
            dlq_count_deltas.conflicts
           FROM dlq_count_deltas
        UNION ALL
         SELECT NULL::timestamp with time zone,
            dlq_count_deltas.hour,
            dlq_count_deltas.event_type,
            dlq_count_deltas.fingerprint,
            dlq_count_deltas.pending,
            dlq_count_deltas.processing,
            dlq_count_deltas.succeeded,
            dlq_count_deltas.failed_permanently,
            dlq_count_deltas.discarded,
            dlq_count_deltas.captures,
            dlq_count_deltas.recurrences,
            dlq_count_deltas.retry_failures,
            dlq_count_deltas.deliveries,
            dlq_count_deltas.permanent_failures,
            dlq_count_deltas.discards,
            dlq_count_deltas.sample_event_id,
            dlq_count_deltas.first_seen_at,
            dlq_count_deltas.last_seen_at,
            dlq_count_deltas.conflicts
           FROM dlq_count_deltas) deltas WITH (security_invoker=true);
COMMENT ON VIEW dlq_counts_exact IS 'Rows of dlq_counts and dlq_count_deltas by type and error group, to be added up: without an hour those of now, with one what happened then.';
GRANT SELECT ON dlq_counts_exact TO dlq_console;
GRANT SELECT ON dlq_counts_exact TO dlq_maintain;
GRANT SELECT ON dlq_counts_exact TO dlq_readonly;
GRANT SELECT ON dlq_counts_exact TO dlq_replay;

CREATE VIEW dlq_counts_totals AS
 SELECT dlq_counts.hour,
    dlq_counts.event_type,
    dlq_counts.pending,
    dlq_counts.processing,
    dlq_counts.succeeded,
    dlq_counts.failed_permanently,
    dlq_counts.discarded,
    dlq_counts.captures,
    dlq_counts.recurrences,
    dlq_counts.captures + dlq_counts.recurrences AS failures,
    dlq_counts.retry_failures,
    dlq_counts.deliveries,
    dlq_counts.permanent_failures,
    dlq_counts.discards,
    dlq_counts.conflicts
   FROM dlq_counts
  WHERE dlq_counts.fingerprint IS NULL
UNION ALL
 SELECT deltas.of_hour AS hour,
    deltas.of_type AS event_type,
    deltas.pending,
    deltas.processing,
    deltas.succeeded,
    deltas.failed_permanently,
    deltas.discarded,
    deltas.captures,
    deltas.recurrences,
    deltas.captures + deltas.recurrences AS failures,
    deltas.retry_failures,
    deltas.deliveries,
    deltas.permanent_failures,
    deltas.discards,
    deltas.conflicts
   FROM ( SELECT NULL::timestamp with time zone AS of_hour,
            dlq_count_deltas.event_type AS of_type,
            dlq_count_deltas.hour,
            dlq_count_deltas.event_type,
            dlq_count_deltas.fingerprint,
            dlq_count_deltas.pending,
            dlq_count_deltas.processing,
            dlq_count_deltas.succeeded,
            dlq_count_deltas.failed_permanently,
            dlq_count_deltas.discarded,
            dlq_count_deltas.captures,
            dlq_count_deltas.recurrences,
            dlq_count_deltas.retry_failures,
            dlq_count_deltas.deliveries,
            dlq_count_deltas.permanent_failures,
            dlq_count_deltas.discards,
            dlq_count_deltas.sample_event_id,
            dlq_count_deltas.first_seen_at,
            dlq_count_deltas.last_seen_at,
            dlq_count_deltas.conflicts
           FROM dlq_count_deltas
        UNION ALL
         SELECT NULL::timestamp with time zone,
            NULL::text,
            dlq_count_deltas.hour,
            dlq_count_deltas.event_type,
            dlq_count_deltas.fingerprint,
            dlq_count_deltas.pending,
            dlq_count_deltas.processing,
            dlq_count_deltas.succeeded,
            dlq_count_deltas.failed_permanently,
            dlq_count_deltas.discarded,
            dlq_count_deltas.captures,
            dlq_count_deltas.recurrences,
            dlq_count_deltas.retry_failures,
            dlq_count_deltas.deliveries,
            dlq_count_deltas.permanent_failures,
            dlq_count_deltas.discards,
            dlq_count_deltas.sample_event_id,
            dlq_count_deltas.first_seen_at,
            dlq_count_deltas.last_seen_at,
            dlq_count_deltas.conflicts
           FROM dlq_count_deltas
        UNION ALL
         SELECT dlq_count_deltas.hour,
            NULL::text,
            dlq_count_deltas.hour,
            dlq_count_deltas.event_type,
            dlq_count_deltas.fingerprint,
            dlq_count_deltas.pending,
            dlq_count_deltas.processing,
            dlq_count_deltas.succeeded,
            dlq_count_deltas.failed_permanently,
            dlq_count_deltas.discarded,
            dlq_count_deltas.captures,
            dlq_count_deltas.recurrences,
            dlq_count_deltas.retry_failures,
            dlq_count_deltas.deliveries,
            dlq_count_deltas.permanent_failures,
            dlq_count_deltas.discards,
            dlq_count_deltas.sample_event_id,
            dlq_count_deltas.first_seen_at,
            dlq_count_deltas.last_seen_at,
            dlq_count_deltas.conflicts
           FROM dlq_count_deltas) deltas WITH (security_invoker=true);
COMMENT ON VIEW dlq_counts_totals IS 'The same of all error groups: of now by type and in all, and what happened by hour in all.';
GRANT SELECT ON dlq_counts_totals TO dlq_console;
GRANT SELECT ON dlq_counts_totals TO dlq_maintain;
GRANT SELECT ON dlq_counts_totals TO dlq_readonly;
GRANT SELECT ON dlq_counts_totals TO dlq_replay;
GRANT SELECT ON dlq_counts_totals TO dlq_retry;

CREATE VIEW dlq_depths AS
 SELECT event_type,
    fingerprint,
    sum(pending)::bigint AS pending,
    sum(processing)::bigint AS processing,
    sum(succeeded)::bigint AS succeeded,
    sum(failed_permanently)::bigint AS failed_permanently,
    sum(discarded)::bigint AS discarded
   FROM dlq_counts_exact
  WHERE hour IS NULL
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
  split_from text,
  split_field text,
  split_value text,
  split_why text,
  split_before bigint DEFAULT '9223372036854775807'::bigint,
  CONSTRAINT dlq_error_groups_merge_targets UNIQUE (fingerprint, is_merged),
  CONSTRAINT dlq_error_groups_merged_once FOREIGN KEY (merged_into, into_merged) REFERENCES dlq_error_groups(fingerprint, is_merged),
  CONSTRAINT dlq_error_groups_muted_until CHECK ((state = 'MUTED'::text) = (muted_until IS NOT NULL)),
  CONSTRAINT dlq_error_groups_pkey PRIMARY KEY (fingerprint),
  CONSTRAINT dlq_error_groups_seen_in_order CHECK (first_seen_at <= last_seen_at),
  CONSTRAINT dlq_error_groups_split_field CHECK (split_field = ANY (ARRAY['words'::text, 'class'::text, 'type'::text, 'consumer'::text])),
  CONSTRAINT dlq_error_groups_split_whole CHECK ((split_field IS NULL) = (split_value IS NULL) AND (split_from IS NULL OR split_field IS NOT NULL)),
  CONSTRAINT dlq_error_groups_state CHECK (state = ANY (ARRAY['OPEN'::text, 'ACKNOWLEDGED'::text, 'MUTED'::text, 'RESOLVED'::text, 'REGRESSED'::text]))
);
CREATE INDEX dlq_error_groups_merged ON dlq_error_groups USING btree (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX dlq_error_groups_seen ON dlq_error_groups USING btree (last_seen_at, fingerprint);
CREATE INDEX dlq_error_groups_split ON dlq_error_groups USING btree (fingerprint) WHERE split_field IS NOT NULL;
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
  lane bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(((((quote_nullable(event_type) || quote_nullable(source_kind)) || quote_nullable(source_topic)) || quote_nullable(consumer_group)) ||
CASE
    WHEN source_key IS NULL THEN '-'::text
    ELSE '+'::text
END) || COALESCE(cause::text, substr(fingerprint, 4, 1), ''::text), 0::bigint)) STORED,
  retry_after timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  failure_count integer NOT NULL DEFAULT 1,
  retry_count integer NOT NULL DEFAULT 0,
  delivery_count integer NOT NULL DEFAULT 0,
  failed_delivery integer NOT NULL DEFAULT 0,
  priority smallint NOT NULL DEFAULT 0,
  is_exact boolean DEFAULT false,
  is_open boolean NOT NULL GENERATED ALWAYS AS (status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text])) STORED,
  is_blocking boolean NOT NULL GENERATED ALWAYS AS (status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'FAILED_PERMANENTLY'::text])) STORED,
  lease_expires_at timestamp with time zone,
  lease_token uuid,
  processed_at timestamp with time zone,
  cause bigint,
  status text NOT NULL DEFAULT 'PENDING'::text,
  failure_kind text,
  max_retries integer,
  order_key bigint GENERATED ALWAYS AS (
CASE
    WHEN source_key IS NOT NULL THEN hashtextextended(quote_literal(COALESCE(source_topic, source_kind)) || quote_literal(source_key), 0::bigint)
    ELSE NULL::bigint
END) STORED,
  edited_from bigint,
  event_type text NOT NULL,
  fingerprint text,
  event_key text COLLATE "C" NOT NULL DEFAULT 'sql:'::text || gen_random_uuid(),
  event_id text,
  source_key text,
  trace_id text,
  conflicts_with bigint,
  arrival jsonb,
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
  answer text,
  reopened_at timestamp with time zone,
  id_hashes text COLLATE "C",
  CONSTRAINT dlq_events_counts CHECK (LEAST(retry_count, failure_count - 1, failed_delivery, delivery_count - failed_delivery, max_retries, source_attempts) >= 0 AND GREATEST(retry_count, failure_count, delivery_count) <= 1000000000),
  CONSTRAINT dlq_events_failed_in_order CHECK (first_failure_at <= last_failure_at),
  CONSTRAINT dlq_events_failure_kind CHECK (failure_kind = ANY (ARRAY['transient'::text, 'permanent'::text, 'ambiguous'::text])),
  CONSTRAINT dlq_events_headers CHECK (jsonb_typeof(headers) = 'object'::text),
  CONSTRAINT dlq_events_ids CHECK (id >= 1 AND id <= '8999999999999999999'::bigint),
  CONSTRAINT dlq_events_leased_while_processing CHECK ((status = 'PROCESSING'::text) = (lease_token IS NOT NULL) AND (lease_token IS NULL) = (lease_expires_at IS NULL)),
  CONSTRAINT dlq_events_leases_end CHECK (isfinite(lease_expires_at)),
  CONSTRAINT dlq_events_payload_encoding CHECK (payload_encoding = ANY (ARRAY['json'::text, 'text'::text, 'base64'::text, 'none'::text])),
  CONSTRAINT dlq_events_pkey PRIMARY KEY (id),
  CONSTRAINT dlq_events_printed_as CHECK (printed_as IS NULL OR body IS NULL AND payload_encoding = 'json'::text),
  CONSTRAINT dlq_events_processed_when_closed CHECK ((status = ANY (ARRAY['SUCCEEDED'::text, 'FAILED_PERMANENTLY'::text, 'DISCARDED'::text])) = (processed_at IS NOT NULL)),
  CONSTRAINT dlq_events_status CHECK (status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'SUCCEEDED'::text, 'FAILED_PERMANENTLY'::text, 'DISCARDED'::text]))
) WITH (autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000, autovacuum_vacuum_scale_factor=0.02, fillfactor=54, toast_tuple_target=1024);
CREATE INDEX dlq_events_age ON dlq_events USING btree (event_type, created_at) WHERE processed_at IS NULL;
CREATE INDEX dlq_events_created_at ON dlq_events USING btree (created_at) WITH (fillfactor='50');
CREATE INDEX dlq_events_due ON dlq_events USING btree (lane, priority, retry_after, id) WHERE is_open;
CREATE UNIQUE INDEX dlq_events_event_key ON dlq_events USING btree (event_key);
CREATE INDEX dlq_events_failed_at ON dlq_events USING btree (last_failure_at, event_type) WITH (fillfactor='50');
CREATE INDEX dlq_events_failed_permanently ON dlq_events USING btree (processed_at, event_type, fingerprint) INCLUDE (lane, created_at, id) WHERE is_blocking AND NOT is_open;
CREATE INDEX dlq_events_fingerprint ON dlq_events USING btree (fingerprint, id);
CREATE INDEX dlq_events_id_hashes ON dlq_events USING gin (string_to_array(id_hashes, NULL::text)) WITH (gin_pending_list_limit='2048');
CREATE INDEX dlq_events_sequence ON dlq_events USING btree (order_key, COALESCE(consumer_group, source_subscription, ''::text), COALESCE(source_partition, '-1'::integer), COALESCE(
CASE
    WHEN source_partition IS NOT NULL THEN source_offset
    ELSE NULL::bigint
END, edited_from, id), id) WHERE is_blocking AND order_key IS NOT NULL;
CREATE TRIGGER dlq_events_complete BEFORE INSERT OR UPDATE OF id, status, payload, error_reason, event_id, source_key, trace_id, id_hashes, event_key, event_type, consumer_group, source_subscription ON dlq_events FOR EACH ROW WHEN (current_setting('dlo.writes_complete_rows'::text, true) IS DISTINCT FROM 'on'::text OR new.id_hashes IS NULL OR num_nonnulls(new.lease_token, new.lease_expires_at, new.processed_at) <>
        CASE new.status
            WHEN 'PENDING'::text THEN 0
            WHEN 'PROCESSING'::text THEN 2
            ELSE 1
        END) EXECUTE FUNCTION dlq_complete_event();
CREATE TRIGGER dlq_events_count_captured AFTER INSERT ON dlq_events REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_events();
CREATE TRIGGER dlq_events_count_changed AFTER UPDATE ON dlq_events REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_changes();
CREATE TRIGGER dlq_events_count_removed AFTER DELETE ON dlq_events REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_events();
CREATE TRIGGER dlq_events_count_truncated AFTER TRUNCATE ON dlq_events FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_events();
COMMENT ON TABLE dlq_events IS 'Failed messages: one row each, kept until they are archived.';
COMMENT ON COLUMN dlq_events.failure_count IS 'Failures at the consumer: 1 at capture, one more for each recurrence.';
COMMENT ON COLUMN dlq_events.retry_count IS 'Failed retries of the current failure. A recurrence is one of them; another failure begins them anew.';
COMMENT ON COLUMN dlq_events.is_blocking IS 'True while the event blocks later events of its key on an ordered route: while it is open, and after it failed permanently until an operator discards or replays it. "is_blocking and not is_open" is true of permanent failures only.';
COMMENT ON COLUMN dlq_events.cause IS 'Target (upper half) and answer (lower half, 0 if accepted) of its latest delivery, as in dlq_breakers. Null: not tried, or what failed says nothing about the event.';
COMMENT ON COLUMN dlq_events.failure_kind IS 'Kind of the latest failure: as its consumer said, or the outcome of its delivery. Null: the consumer did not say.';
COMMENT ON COLUMN dlq_events.edited_from IS 'Of an edit: the captured event that it replaces, also by an edit before this one. Null: the message is the captured one.';
COMMENT ON COLUMN dlq_events.arrival IS 'What the first capture reported of itself: delivery_id, origin, publication, consumer, failed_at, and as passing the names of the headers that hops or a failure added.';
COMMENT ON COLUMN dlq_events.payload IS 'The message for queries. A text is a JSON string, binary is base64 in a JSON string, no body is JSON null.';
COMMENT ON COLUMN dlq_events.printed_as IS 'How the bytes of a JSON message are printed from payload, if body is null: their number, order of the keys, style.';
COMMENT ON COLUMN dlq_events.headers IS 'Name to value; a value is text, {"base64": "..."} if it was not UTF-8, or a list of these if the name was repeated.';
COMMENT ON COLUMN dlq_events.source_key_bytes IS 'The exact key, if source_key only represents it: a key that is not UTF-8, or empty.';
COMMENT ON COLUMN dlq_events.error_reason IS 'Why the consumer failed, as it said last. If it said nothing: the first answer of a target.';
COMMENT ON COLUMN dlq_events.answer IS 'What a target answered to the latest delivery that failed, or why the schedule sends it no more. Null: neither.';
COMMENT ON COLUMN dlq_events.id_hashes IS 'Hashes of event_id, source_key, trace_id and up to 6 values in its error, payload and headers that look like ids. Null computes them again.';
GRANT SELECT, UPDATE (retry_after, updated_at, retry_count, priority, lease_expires_at, lease_token, processed_at, cause, status, fingerprint, reopened_at) ON dlq_events TO dlq_console;
GRANT DELETE, SELECT, UPDATE (fingerprint) ON dlq_events TO dlq_maintain;
GRANT SELECT ON dlq_events TO dlq_readonly;
GRANT SELECT, UPDATE (retry_after, updated_at, retry_count, priority, lease_expires_at, lease_token, processed_at, cause, status, fingerprint, reopened_at) ON dlq_events TO dlq_replay;
GRANT SELECT, UPDATE (retry_after, updated_at, retry_count, delivery_count, failed_delivery, lease_expires_at, lease_token, processed_at, cause, status, failure_kind, fingerprint, error_reason, answer) ON dlq_events TO dlq_retry;
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
  delivery_count integer NOT NULL,
  failed_delivery integer NOT NULL,
  priority smallint NOT NULL,
  is_exact boolean,
  is_open boolean NOT NULL,
  is_blocking boolean NOT NULL,
  lease_expires_at timestamp with time zone,
  lease_token uuid,
  processed_at timestamp with time zone,
  cause bigint,
  status text NOT NULL,
  failure_kind text,
  max_retries integer,
  order_key bigint,
  edited_from bigint,
  event_type text NOT NULL,
  fingerprint text,
  event_key text COLLATE "C" NOT NULL,
  event_id text,
  source_key text,
  trace_id text,
  conflicts_with bigint,
  arrival jsonb,
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
  answer text,
  reopened_at timestamp with time zone,
  id_hashes text COLLATE "C"
) PARTITION BY RANGE (created_at);
CREATE INDEX dlq_events_archive_created_at ON ONLY dlq_events_archive USING btree (created_at);
CREATE INDEX dlq_events_archive_event_key ON ONLY dlq_events_archive USING btree (event_key);
CREATE INDEX dlq_events_archive_failed_at ON ONLY dlq_events_archive USING btree (last_failure_at);
CREATE INDEX dlq_events_archive_id ON ONLY dlq_events_archive USING btree (id);
CREATE INDEX dlq_events_archive_id_hashes ON ONLY dlq_events_archive USING gin (string_to_array(id_hashes, NULL::text));
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
    round(sum(permanent_failures) / NULLIF(sum(deliveries + permanent_failures), 0::numeric), 3) AS permanent_failure_ratio
   FROM dlq_counts_totals
  WHERE hour > (now() - '7 days'::interval)
  GROUP BY hour
  ORDER BY hour DESC WITH (security_invoker=true);
COMMENT ON VIEW dlq_failures_by_hour IS 'Captures and outcomes of the last seven days, by hour (UTC). Exact.';
GRANT SELECT ON dlq_failures_by_hour TO dlq_readonly;

CREATE VIEW dlq_failures_by_reason AS
 SELECT counts.event_type,
    COALESCE(error_group.title, NULLIF(first_line.first_line, ''::text), 'No reason given: '::text || counts.event_type) AS reason,
    counts.failures,
    counts.last_hour,
    error_group.state,
    error_group.owner,
    counts.fingerprint
   FROM ( SELECT counted.event_type,
            COALESCE(error_group_1.merged_into, counted.fingerprint) AS fingerprint,
            sum(counted.failures) AS failures,
            max(counted.hour) AS last_hour,
            NULL::text AS error_class,
            NULL::text AS error_reason
           FROM dlq_counts_exact counted
             LEFT JOIN dlq_error_groups error_group_1 USING (fingerprint)
          WHERE counted.hour > (now() - '24:00:00'::interval) AND counted.fingerprint <> ''::text
          GROUP BY counted.event_type, (COALESCE(error_group_1.merged_into, counted.fingerprint))
         HAVING sum(counted.failures) > 0::numeric
        UNION ALL
         SELECT dlq_events.event_type,
            ''::text,
            count(*) AS count,
            date_trunc('hour'::text, max(failed_at.failed_at), 'UTC'::text) AS date_trunc,
            dlq_events.error_class,
            dlq_events.error_reason
           FROM dlq_events
             CROSS JOIN LATERAL COALESCE(
                CASE
                    WHEN dlq_events.failure_count > 1 THEN dlq_events.last_failure_at
                    ELSE dlq_events.created_at
                END) failed_at(failed_at)
          WHERE dlq_events.fingerprint IS NULL AND failed_at.failed_at >= date_trunc('hour'::text, now() - '23:00:00'::interval, 'UTC'::text) AND dlq_events.edited_from IS NULL
          GROUP BY dlq_events.event_type, dlq_events.error_class, dlq_events.error_reason) counts
     LEFT JOIN dlq_error_groups error_group USING (fingerprint)
     LEFT JOIN LATERAL ( SELECT event.error_class,
            event.error_reason
           FROM dlq_events event
          WHERE error_group.title IS NULL AND event.fingerprint >= counts.fingerprint AND event.fingerprint <= counts.fingerprint
          ORDER BY event.fingerprint DESC, event.id DESC
         LIMIT 1) latest ON true
     CROSS JOIN LATERAL concat_ws(': '::text, COALESCE(counts.error_class, latest.error_class), split_part(NULLIF(COALESCE(counts.error_reason, latest.error_reason), 'not reported'::text), '
'::text, 1)) first_line(first_line)
  ORDER BY counts.failures DESC, counts.event_type, counts.fingerprint WITH (security_invoker=true);
COMMENT ON VIEW dlq_failures_by_reason IS 'Failures of this hour (UTC) and the 23 before, by type and error group.';
GRANT SELECT ON dlq_failures_by_reason TO dlq_readonly;

CREATE VIEW dlq_group_members AS
 SELECT COALESCE(merged_into, fingerprint) AS fingerprint,
    fingerprint AS member
   FROM dlq_error_groups WITH (security_invoker=true);
COMMENT ON VIEW dlq_group_members IS 'The fingerprints of the events of each error group: its own, and those of the groups merged into it.';
GRANT SELECT ON dlq_group_members TO dlq_console;
GRANT SELECT ON dlq_group_members TO dlq_readonly;
GRANT SELECT ON dlq_group_members TO dlq_replay;

CREATE VIEW dlq_group_rules AS
 SELECT dlq_error_groups.fingerprint,
    'split'::text AS rule,
    dlq_error_groups.split_from AS of,
    dlq_error_groups.split_field AS field,
    dlq_error_groups.split_value AS value,
    dlq_error_groups.split_why AS reason
   FROM dlq_error_groups
  WHERE dlq_error_groups.split_field IS NOT NULL
UNION ALL
 SELECT dlq_error_groups.fingerprint,
    'merge'::text AS rule,
    dlq_error_groups.merged_into AS of,
    NULL::text AS field,
    NULL::text AS value,
    NULL::text AS reason
   FROM dlq_error_groups
  WHERE dlq_error_groups.merged_into IS NOT NULL WITH (security_invoker=true);
COMMENT ON VIEW dlq_group_rules IS 'Rules of grouping: events of the group `of` that have a value are another group, or one is merged into it.';
GRANT SELECT ON dlq_group_rules TO dlq_readonly;

CREATE VIEW dlq_groups_merged AS
 SELECT root.fingerprint,
    root.fingerprint || merged.members AS members,
    root.state,
    root.title,
    root.causes,
    root.frame,
    root.owner,
    root.note,
    root.muted_until,
    LEAST(root.first_seen_at, merged.first_seen_at) AS first_seen_at,
    GREATEST(root.last_seen_at, merged.last_seen_at) AS last_seen_at,
        CASE root.state
            WHEN 'REGRESSED'::text THEN root.began_at
            ELSE LEAST(root.began_at, merged.first_seen_at)
        END AS began_at,
    GREATEST(root.sample_event_id, merged.sample_event_id) AS sample_event_id
   FROM dlq_error_groups root
     LEFT JOIN ( SELECT dlq_error_groups.merged_into,
            array_agg(dlq_error_groups.fingerprint ORDER BY dlq_error_groups.fingerprint) AS members,
            min(dlq_error_groups.first_seen_at) AS first_seen_at,
            max(dlq_error_groups.last_seen_at) AS last_seen_at,
            max(dlq_error_groups.sample_event_id) AS sample_event_id
           FROM dlq_error_groups
          WHERE dlq_error_groups.merged_into IS NOT NULL
          GROUP BY dlq_error_groups.merged_into) merged ON merged.merged_into = root.fingerprint
  WHERE root.merged_into IS NULL AND NOT (root.split_field IS NOT NULL AND root.split_from IS NULL AND root.sample_event_id IS NULL AND merged.members IS NULL) WITH (security_invoker=true);
COMMENT ON VIEW dlq_groups_merged IS 'Error groups, each with those merged into it.';
GRANT SELECT ON dlq_groups_merged TO dlq_console;
GRANT SELECT ON dlq_groups_merged TO dlq_maintain;
GRANT SELECT ON dlq_groups_merged TO dlq_readonly;
GRANT SELECT ON dlq_groups_merged TO dlq_replay;

CREATE TABLE dlq_jobs (
  name text NOT NULL,
  known_since timestamp with time zone NOT NULL DEFAULT now(),
  completed_at timestamp with time zone,
  progress jsonb,
  CONSTRAINT dlq_jobs_pkey PRIMARY KEY (name)
);
COMMENT ON TABLE dlq_jobs IS 'Jobs of maintain: the last complete run of each, and the progress of an interrupted one.';
GRANT INSERT, SELECT, UPDATE (completed_at, progress) ON dlq_jobs TO dlq_maintain;
GRANT SELECT ON dlq_jobs TO dlq_readonly;

CREATE TABLE dlq_leases (
  token uuid NOT NULL,
  run_id bigint,
  target text,
  event_ids bigint[] NOT NULL,
  leased_at timestamp with time zone NOT NULL DEFAULT now(),
  seconds double precision,
  CONSTRAINT dlq_leases_end CHECK ((target IS NULL) = (seconds IS NOT NULL))
) WITH (toast_tuple_target=8160);
CREATE INDEX dlq_leases_leased_at ON dlq_leases USING btree (leased_at) WHERE target IS NULL;
CREATE INDEX dlq_leases_token ON dlq_leases USING btree (token);
COMMENT ON TABLE dlq_leases IS 'Leases: the events that a worker took at once, for how long and for which run, and which of them it has sent.';
GRANT SELECT (target, event_ids) ON dlq_leases TO dlq_console;
GRANT SELECT ON dlq_leases TO dlq_maintain;
GRANT SELECT ON dlq_leases TO dlq_readonly;
GRANT SELECT (target, event_ids) ON dlq_leases TO dlq_replay;
GRANT DELETE, INSERT (token, run_id, target, event_ids, seconds), SELECT, UPDATE (leased_at) ON dlq_leases TO dlq_retry;

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
    answer,
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
    answer,
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

CREATE TABLE dlq_run_events (
  run_id bigint NOT NULL,
  event_id bigint NOT NULL,
  "position" integer NOT NULL,
  failure_count integer NOT NULL,
  status text NOT NULL,
  is_leased boolean NOT NULL DEFAULT false,
  processed_at timestamp with time zone,
  outcome text NOT NULL DEFAULT 'waiting'::text,
  reason text,
  detail text,
  settled_at timestamp with time zone,
  CONSTRAINT dlq_run_events_leased_while_waiting CHECK (NOT is_leased OR outcome = 'waiting'::text),
  CONSTRAINT dlq_run_events_outcome CHECK (outcome = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text, 'skipped'::text])),
  CONSTRAINT dlq_run_events_pkey PRIMARY KEY (run_id, event_id),
  CONSTRAINT dlq_run_events_settled CHECK ((outcome = 'waiting'::text) = (settled_at IS NULL))
);
CREATE INDEX dlq_run_events_by_outcome ON dlq_run_events USING btree (run_id, outcome, "position");
CREATE TRIGGER dlq_run_events_count_outcomes AFTER UPDATE ON dlq_run_events REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION dlq_count_run_outcomes();
COMMENT ON TABLE dlq_run_events IS 'Selections of replays: one event of one run each, frozen when the run was created, with its outcome.';
GRANT INSERT (run_id, event_id, "position", failure_count, status), SELECT ON dlq_run_events TO dlq_console;
GRANT SELECT ON dlq_run_events TO dlq_maintain;
GRANT SELECT ON dlq_run_events TO dlq_readonly;
GRANT INSERT (run_id, event_id, "position", failure_count, status), SELECT ON dlq_run_events TO dlq_replay;
GRANT SELECT, UPDATE (status, is_leased, processed_at, outcome, reason, detail, settled_at) ON dlq_run_events TO dlq_retry;

CREATE TABLE dlq_run_workers (
  run_id bigint NOT NULL,
  slot integer NOT NULL,
  token uuid,
  heartbeat_at timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  routes text,
  tally jsonb NOT NULL DEFAULT '{}'::jsonb,
  targets jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT dlq_run_workers_pkey PRIMARY KEY (run_id, slot),
  CONSTRAINT dlq_run_workers_run_id_fkey FOREIGN KEY (run_id) REFERENCES dlq_runs(id) ON DELETE CASCADE
);
COMMENT ON TABLE dlq_run_workers IS 'Worker slots of open runs: their number limits the workers of a run, and each worker holds one.';
GRANT SELECT ON dlq_run_workers TO dlq_console;
GRANT SELECT ON dlq_run_workers TO dlq_readonly;
GRANT DELETE, INSERT, SELECT, UPDATE (token, heartbeat_at, routes, tally, targets) ON dlq_run_workers TO dlq_retry;

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
  edited_to integer NOT NULL DEFAULT 0,
  excluded jsonb,
  selected integer,
  delivered integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  waiting integer GENERATED ALWAYS AS (selected - delivered - failed - skipped) STORED,
  in_flight integer NOT NULL DEFAULT 0,
  progressed_at timestamp with time zone,
  recent text NOT NULL DEFAULT ''::text,
  rollout jsonb NOT NULL DEFAULT '{"pace": "normal"}'::jsonb,
  stage_began_at timestamp with time zone NOT NULL DEFAULT now(),
  stage_began_with integer NOT NULL DEFAULT 0,
  paused_because text,
  CONSTRAINT dlq_runs_pkey PRIMARY KEY (id),
  CONSTRAINT dlq_runs_progress CHECK (LEAST(delivered, failed, skipped, in_flight) >= 0 AND in_flight <= waiting),
  CONSTRAINT dlq_runs_selected CHECK ((trigger = 'replay'::text) = (selected IS NOT NULL)),
  CONSTRAINT dlq_runs_stopped_when_ended CHECK ((ended_at IS NULL) = (stopped IS NULL)),
  CONSTRAINT dlq_runs_trigger CHECK (trigger = ANY (ARRAY['schedule'::text, 'replay'::text]))
);
CREATE INDEX dlq_runs_busy_ticks ON dlq_runs USING btree (id) WHERE trigger = 'schedule'::text AND (ended_at IS NULL OR (((tally ->> 'claimed'::text)::integer) + COALESCE((tally ->> 'refused'::text)::integer, 0)) > 0);
CREATE UNIQUE INDEX dlq_runs_idempotency_key ON dlq_runs USING btree (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX dlq_runs_open ON dlq_runs USING btree (id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX dlq_runs_open_tick ON dlq_runs USING btree (trigger) WHERE trigger = 'schedule'::text AND ended_at IS NULL;
CREATE INDEX dlq_runs_replays ON dlq_runs USING btree (id) WHERE trigger = 'replay'::text;
CREATE INDEX dlq_runs_started ON dlq_runs USING btree (started_at);
COMMENT ON TABLE dlq_runs IS 'Runs: one retry tick or one replay each, with beginning, end and tally.';
COMMENT ON COLUMN dlq_runs.delivered IS 'Counted by a trigger on dlq_run_events, like failed, skipped, in_flight, progressed_at and recent. No role may write it.';
GRANT INSERT (trigger, ended_at, stopped, requested_by, reason, request, request_hash, idempotency_key, patch, excluded, selected, rollout), SELECT, UPDATE (ended_at, stopped, recent, stage_began_at, stage_began_with, paused_because) ON dlq_runs TO dlq_console;
GRANT SELECT ON dlq_runs TO dlq_maintain;
GRANT SELECT ON dlq_runs TO dlq_readonly;
GRANT INSERT (trigger, ended_at, stopped, requested_by, reason, request, request_hash, idempotency_key, patch, excluded, selected, rollout), SELECT, UPDATE (ended_at, stopped, recent, stage_began_at, stage_began_with, paused_because) ON dlq_runs TO dlq_replay;
GRANT INSERT (trigger, due_at, allowance), SELECT, UPDATE (due_at, allowance, ended_at, stopped, tally, targets, paused_because) ON dlq_runs TO dlq_retry;

CREATE VIEW dlq_undoable AS
 SELECT change.event_id,
    change.audit_id,
    change.at,
    change.status,
    change.priority,
    change.retry_count,
    change.retry_after,
    change.processed_at,
    change.reopened_at,
    change.failure_count,
    change.delivery_count,
    change.edit_id,
    change.undone_by,
        CASE
            WHEN change.undone_by IS NOT NULL THEN 'undone'::text
            WHEN event.id IS NULL THEN 'gone'::text
            WHEN 'PROCESSING'::text = event.status OR 'PROCESSING'::text = edit.status THEN 'leased'::text
            WHEN event.delivery_count > change.delivery_count OR edit.delivery_count > 0 THEN 'sent'::text
            WHEN event.failure_count <> change.failure_count THEN 'changed'::text
            WHEN NOT entry.details ? 'sets'::text AND (edit.is_blocking AND edit.failure_count = 1 AND (event.processed_at = change.at OR event.processed_at = change.processed_at)) IS NOT TRUE THEN 'changed'::text
            WHEN entry.details ? 'sets'::text AND (event.status IS DISTINCT FROM became.status OR event.priority IS DISTINCT FROM became.priority OR event.retry_count IS DISTINCT FROM became.retry_count OR event.retry_after IS DISTINCT FROM became.retry_after OR event.processed_at IS DISTINCT FROM became.processed_at OR event.reopened_at IS DISTINCT FROM became.reopened_at) THEN 'changed'::text
            WHEN (EXISTS ( SELECT
               FROM dlq_audit_events later
              WHERE (later.event_id = ANY (ARRAY[change.event_id, edit.id])) AND later.audit_id > change.audit_id AND later.status IS NOT NULL AND later.undone_by IS NULL)) THEN 'changed'::text
            ELSE NULL::text
        END AS reason
   FROM dlq_audit_events change
     JOIN dlq_audit entry ON entry.id = change.audit_id
     CROSS JOIN LATERAL jsonb_populate_record(change.*, replace(COALESCE(entry.details ->> 'sets'::text, '{}'::text), '"now"'::text, to_json(change.at)::text)::jsonb) became(event_id, audit_id, at, status, priority, retry_count, retry_after, processed_at, reopened_at, failure_count, delivery_count, edit_id, undone_by)
     LEFT JOIN LATERAL ( SELECT dlq_events.id,
            dlq_events.created_at,
            dlq_events.last_failure_at,
            dlq_events.first_failure_at,
            dlq_events.lane,
            dlq_events.retry_after,
            dlq_events.updated_at,
            dlq_events.failure_count,
            dlq_events.retry_count,
            dlq_events.delivery_count,
            dlq_events.failed_delivery,
            dlq_events.priority,
            dlq_events.is_exact,
            dlq_events.is_open,
            dlq_events.is_blocking,
            dlq_events.lease_expires_at,
            dlq_events.lease_token,
            dlq_events.processed_at,
            dlq_events.cause,
            dlq_events.status,
            dlq_events.failure_kind,
            dlq_events.max_retries,
            dlq_events.order_key,
            dlq_events.edited_from,
            dlq_events.event_type,
            dlq_events.fingerprint,
            dlq_events.event_key,
            dlq_events.event_id,
            dlq_events.source_key,
            dlq_events.trace_id,
            dlq_events.conflicts_with,
            dlq_events.arrival,
            dlq_events.redelivery_token,
            dlq_events.payload,
            dlq_events.body,
            dlq_events.printed_as,
            dlq_events.payload_encoding,
            dlq_events.content_type,
            dlq_events.headers,
            dlq_events.source_kind,
            dlq_events.source_topic,
            dlq_events.source_partition,
            dlq_events.source_offset,
            dlq_events.source_key_bytes,
            dlq_events.source_subscription,
            dlq_events.consumer_group,
            dlq_events.source_attempts,
            dlq_events.metadata,
            dlq_events.occurred_at,
            dlq_events.error_reason,
            dlq_events.error_class,
            dlq_events.error_stacktrace,
            dlq_events.answer,
            dlq_events.reopened_at,
            dlq_events.id_hashes
           FROM dlq_events
          WHERE dlq_events.id = change.event_id
         LIMIT 1) event ON true
     LEFT JOIN LATERAL ( SELECT dlq_events.id,
            dlq_events.created_at,
            dlq_events.last_failure_at,
            dlq_events.first_failure_at,
            dlq_events.lane,
            dlq_events.retry_after,
            dlq_events.updated_at,
            dlq_events.failure_count,
            dlq_events.retry_count,
            dlq_events.delivery_count,
            dlq_events.failed_delivery,
            dlq_events.priority,
            dlq_events.is_exact,
            dlq_events.is_open,
            dlq_events.is_blocking,
            dlq_events.lease_expires_at,
            dlq_events.lease_token,
            dlq_events.processed_at,
            dlq_events.cause,
            dlq_events.status,
            dlq_events.failure_kind,
            dlq_events.max_retries,
            dlq_events.order_key,
            dlq_events.edited_from,
            dlq_events.event_type,
            dlq_events.fingerprint,
            dlq_events.event_key,
            dlq_events.event_id,
            dlq_events.source_key,
            dlq_events.trace_id,
            dlq_events.conflicts_with,
            dlq_events.arrival,
            dlq_events.redelivery_token,
            dlq_events.payload,
            dlq_events.body,
            dlq_events.printed_as,
            dlq_events.payload_encoding,
            dlq_events.content_type,
            dlq_events.headers,
            dlq_events.source_kind,
            dlq_events.source_topic,
            dlq_events.source_partition,
            dlq_events.source_offset,
            dlq_events.source_key_bytes,
            dlq_events.source_subscription,
            dlq_events.consumer_group,
            dlq_events.source_attempts,
            dlq_events.metadata,
            dlq_events.occurred_at,
            dlq_events.error_reason,
            dlq_events.error_class,
            dlq_events.error_stacktrace,
            dlq_events.answer,
            dlq_events.reopened_at,
            dlq_events.id_hashes
           FROM dlq_events
          WHERE dlq_events.id = change.edit_id
         LIMIT 1) edit ON true
  WHERE change.status IS NOT NULL WITH (security_invoker=true);
COMMENT ON VIEW dlq_undoable IS 'The events that an action changed, and why an undo would leave them.';
GRANT SELECT ON dlq_undoable TO dlq_console;
GRANT SELECT ON dlq_undoable TO dlq_readonly;
GRANT SELECT ON dlq_undoable TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_add_capture(of bigint, capture dlq_captured, bytes bytea, message jsonb, is_redelivered boolean, repeat_seconds double precision)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  -- Not a setting of the function: on Cloud SQL no login may make one.
  mode constant text := coalesce(current_setting('dlo.writes_complete_rows', true), '');
  has_proof constant boolean := is_redelivered or message is not null;
  judged record;
begin
  perform set_config('dlo.writes_complete_rows', 'on', true);
  select * into strict judged from public.dlq_judge_capture(
    of, capture, message is not null, is_redelivered, make_interval(secs => repeat_seconds));
  perform public.dlq_replace_content(event, capture, bytes, message, judged.completes)
  from public.dlq_events as event where id = of and judged.replaces;
  perform public.dlq_change_event(of, capture, judged.effect, judged.completes, judged.decides)
  from public.dlq_events where id = of and (judged.decides
    or trace_id is null and capture.trace_id is not null
    or source_attempts is null and capture.source_attempts is not null
    or case when coalesce(error_reason = capture.error_reason, true)
      then error_class is null and capture.error_class is not null
        or error_stacktrace is null and capture.error_stacktrace is not null
      else error_reason = 'not reported'
        or error_reason in (select error from public.dlq_attempts where event_id = of) end);

  insert into public.dlq_captures (event_id, failure, is_first, is_report, is_proven, delivery_id, attempt,
    publication, failed_at, consumer, facts, body)
  select of, coalesce(judged.failure, event.failure_count), judged.effect <> 'voice',
    coalesce(capture.origin = 'report', false), has_proof, case when has_proof then capture.delivery_id end,
    case when is_redelivered then least(capture.attempt, event.delivery_count) end,
    capture.publication, capture.failed_at, capture.consumer, told, own_body
  from public.dlq_events as event
  cross join (select case when message is not null and not judged.replaces then bytes end as own_body,
    jsonb_strip_nulls(to_jsonb(capture)) - '{message_key,consumer,redelivery,attempt,delivery_id,origin,
      publication,failed_at,body_start,body_length,content,printed_as,passing,fingerprint,crowd,
      id_hashes}'::text[] as told) as facts
  where event.id = of and (judged.effect <> 'voice' or has_proof and capture.delivery_id is not null
    or not exists (select from public.dlq_captures as one where one.event_id = of
      and (one.facts, one.body, one.publication) is not distinct from (told, own_body, capture.publication)))
  on conflict do nothing;
  delete from public.dlq_captures where id = (
      select id from public.dlq_captures
      where event_id = of and not is_original order by is_proven, id offset 50 limit 1)
    and 100 < (select count(*) from public.dlq_captures where event_id = of);
  perform set_config('dlo.writes_complete_rows', mode, true);
end
$function$;

CREATE OR REPLACE FUNCTION public.dlq_blocked_by(key bigint, consumer text, own_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  whose constant text := coalesce(consumer, '');
  first bigint;
begin
  first := case when key is not null then (
    with recursive heads as (
      -- Before the first one: the least consumer and partition.
      select '' as of_consumer, (-2147483648)::integer as partition, null::bigint as place, null::bigint as id
      union all
      select following.*
      from heads
      cross join lateral (
        select coalesce(consumer_group, source_subscription, ''), coalesce(source_partition, -1),
          coalesce(edited_from, id), id
        from public.dlq_events
        where is_blocking and order_key = key
          and (coalesce(consumer_group, source_subscription, ''), coalesce(source_partition, -1))
            > (of_consumer, partition)
        order by order_key, 1, 2,
          coalesce(case when source_partition is not null then source_offset end, edited_from, id), id
        limit 1
      ) as following
    )
    select id from heads where of_consumer in ('', whose) or whose = ''
    order by place, id
    limit 1
  ) end;
  return case when first <> own_id is not false and not exists (
    select from public.dlq_events as own join public.dlq_events as head on head.id = first
    where own.id = own_id and not own.is_blocking and case
      when own.source_partition = head.source_partition then own.source_offset < head.source_offset
      else coalesce(own.edited_from, own.id) < coalesce(head.edited_from, head.id) end
  ) then first end;
end
$function$;
COMMENT ON FUNCTION dlq_blocked_by(bigint,text,bigint) IS 'The event of the same key that goes first, if its route is ordered; null if it is this one, or has no key.';
GRANT EXECUTE ON FUNCTION dlq_blocked_by(bigint,text,bigint) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_blocked_by(bigint,text,bigint) TO dlq_readonly;
GRANT EXECUTE ON FUNCTION dlq_blocked_by(bigint,text,bigint) TO dlq_replay;
GRANT EXECUTE ON FUNCTION dlq_blocked_by(bigint,text,bigint) TO dlq_retry;

CREATE OR REPLACE FUNCTION public.dlq_capture(event_type text, payload jsonb, error_reason text DEFAULT NULL::text, error_stacktrace text DEFAULT NULL::text, error_class text DEFAULT NULL::text, event_id text DEFAULT NULL::text, body bytea DEFAULT NULL::bytea, content_type text DEFAULT NULL::text, headers jsonb DEFAULT '{}'::jsonb, source_kind text DEFAULT 'sql'::text, source_topic text DEFAULT NULL::text, source_partition integer DEFAULT NULL::integer, source_offset bigint DEFAULT NULL::bigint, source_key text DEFAULT NULL::text, source_subscription text DEFAULT NULL::text, consumer_group text DEFAULT NULL::text, source_attempts integer DEFAULT NULL::integer, trace_id text DEFAULT NULL::text, metadata jsonb DEFAULT NULL::jsonb, occurred_at timestamp with time zone DEFAULT NULL::timestamp with time zone, source_key_bytes bytea DEFAULT NULL::bytea, error_kind text DEFAULT NULL::text, retry_after timestamp with time zone DEFAULT NULL::timestamp with time zone, max_retries integer DEFAULT NULL::integer, priority integer DEFAULT NULL::integer, failed_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $function$
#variable_conflict use_column
declare
  decoded text;
  of_body jsonb;
  is_deep boolean := false;
begin
  begin
    decoded := convert_from(body, 'UTF8');
    of_body := decoded::jsonb;
  exception when others then
    -- More levels than PostgreSQL can read: it is a text.
    is_deep := sqlstate = '54001';
  end;
  return (select stored.id
  from (select jsonb_object_agg(name, value) filter (where not is_credential) as kept,
      jsonb_object_agg(lower(name), value) as named,
      jsonb_agg(name order by name collate "C") filter (where is_credential) as withheld
    from jsonb_each(case when jsonb_typeof(headers) = 'object' then headers end) as header (name, value)
    cross join lateral pg_input_is_valid(name, 'public.dlq_credential_header') as is_credential) as judged
  cross join lateral substring(named ->> 'dlo-event-id', '^[1-8]?[0-9]{1,18}[.][0-9a-f]{32}$') as redelivery
  cross join lateral coalesce(nullif(event_id, ''),
    case when redelivery is null then nullif(named ->> 'dlo-event-id', '') end) as own_id
  cross join lateral (select case when source_topic <> '' and num_nulls(source_partition, source_offset) = 0
    then format('kafka:%s/%s/%s', source_topic, source_partition, source_offset) end as coordinates) as place
  cross join lateral (select
    -- An @ separates the consumer from the key.
    replace(replace(coalesce('id:' || own_id, coordinates, 'sql:' || gen_random_uuid()),
      '%', '%25'), '@', '%40') as message_key,
    coalesce(nullif(source_subscription, ''), consumer_group) as consumer, redelivery,
    substring(named ->> 'dlo-attempt' from '^[0-9]{1,9}$') as attempt, 'report' as origin,
    '@' || replace(coordinates, '@', '%40') as publication,
    coalesce(nullif(event_type, ''), 'unknown') as event_type, own_id as event_id,
    case when num_nonnulls(payload, body) = 0 then 'none'
      when num_nonnulls(payload, of_body) > 0 and not is_deep then 'json'
      when decoded is null then 'base64' else 'text' end as payload_encoding,
    case when of_body is null and not is_deep then payload::text end as content, 1 as body_start,
    length(body) as body_length, content_type, kept as headers,
    nullif(array(select name from jsonb_object_keys(kept) as name
      where pg_input_is_valid(name, 'public.dlq_passing_header')), '{}') as passing,
    error_reason, error_stacktrace, error_class, coalesce(source_kind, 'sql') as source_kind, source_topic,
    source_partition, source_offset, source_key, encode(source_key_bytes, 'base64') as source_key_bytes,
    source_subscription, consumer_group, trace_id) as said
  -- An empty text says nothing, but a key may be empty.
  cross join lateral (select jsonb_object_agg(fact.key, value) as told from jsonb_each(to_jsonb(said)) as fact
    where value <> '""' or fact.key = 'source_key') as facts
  cross join lateral (
    select jsonb_object_agg(argument, value) filter (where is_usable) as usable,
      jsonb_object_agg(member, value) filter (where is_usable and member <> '') as decided,
      jsonb_object_agg(argument, value) filter (where not is_usable) as ignored
    from (values ('payload', null, null,
        case when is_deep or of_body <> nullif(payload, 'null') then to_jsonb(payload::text) end),
      ('error_kind', 'kind', 'public.dlq_said_kind', to_jsonb(error_kind)),
      ('retry_after', 'retryAfter', 'public.dlq_said_time', to_jsonb(retry_after)),
      ('priority', 'priority', 'smallint', to_jsonb(priority)),
      ('max_retries', 'maxRetries', 'public.dlq_said_count', to_jsonb(max_retries)),
      ('source_attempts', null, 'public.dlq_said_count', to_jsonb(source_attempts)),
      ('failed_at', null, 'public.dlq_said_time', to_jsonb(failed_at)),
      ('occurred_at', null, 'public.dlq_said_time', to_jsonb(occurred_at)),
      ('headers', null, 'public.dlq_said_headers', to_jsonb(nullif(dlq_capture.headers, 'null')::text)),
      ('metadata', null, 'public.dlq_said_headers', to_jsonb(nullif(metadata, 'null')::text))
    ) as part (argument, member, type, value)
    cross join lateral coalesce(pg_input_is_valid(value #>> '{}', type), false) as is_usable
    where value #>> '{}' <> ''
  ) as decision
  cross join lateral (select jsonb_object_agg(name, kept) filter (where is_own) as own,
      jsonb_object_agg(name, kept) filter (where not is_own) as others
    from (values (true, (usable ->> 'metadata')::jsonb), (false, ignored)) as part (is_own, members)
    cross join lateral jsonb_each(members) as member (name, value)
    cross join lateral (select case when jsonb_build_object(name, value)::text ~* (
          '^[{]"[^"]*headers|headers\\*"\s*:|authorization[^\w:=,]{0,4}[:=,]\W{0,6}'
          '(basic|bearer|digest|negotiate|token|apikey|hawk|aws4-\S{1,20}) +\S{6}')
        and (length(value::text) > 262144 or exists (
          select from regexp_split_to_table(name || ' ' || value::text, '(\\.|[^\w.-])+') as word
          where pg_input_is_valid(word, 'public.dlq_credential_header')))
      then '"withheld"' else value end as kept) as searched) as notes
  cross join lateral public.dlq_capture_events(
    json_build_array(coalesce(usable, '{}') || told || jsonb_build_object('metadata',
      nullif(coalesce(own, '{}') || jsonb_strip_nulls(jsonb_build_object('decided', decided,
        'withheld', withheld, 'ignored', coalesce(own -> 'ignored', '{}') || others)), '{}'))),
    coalesce(body, ''), 600) as stored);
end
$function$;
COMMENT ON FUNCTION dlq_capture(text,jsonb,text,text,text,text,bytea,text,jsonb,text,text,integer,bigint,text,text,text,integer,text,jsonb,timestamp with time zone,bytea,text,timestamp with time zone,integer,integer,timestamp with time zone) IS 'Captures a failure within the transaction of its caller. Returns the id.';
GRANT EXECUTE ON FUNCTION dlq_capture(text,jsonb,text,text,text,text,bytea,text,jsonb,text,text,integer,bigint,text,text,text,integer,text,jsonb,timestamp with time zone,bytea,text,timestamp with time zone,integer,integer,timestamp with time zone) TO dlq_capture;
GRANT EXECUTE ON FUNCTION dlq_capture(text,jsonb,text,text,text,text,bytea,text,jsonb,text,text,integer,bigint,text,text,text,integer,text,jsonb,timestamp with time zone,bytea,text,timestamp with time zone,integer,integer,timestamp with time zone) TO dlq_reporter;

CREATE OR REPLACE FUNCTION public.dlq_capture_events(captures json, bodies bytea, repeat_seconds double precision)
 RETURNS TABLE(place integer, id bigint, is_new boolean, conflicts_with bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  stored record;
  locked bigint[] := '{}';
  found public.dlq_found;
  own_key text;
begin
  for stored in
    select *, case when key is not null
      then (array(select json_populate_recordset(null::public.dlq_captured, captures)))[place] end as said
    from public.dlq_insert_events(captures, bodies, null, null) order by key, place loop
    place := stored.place;
    id := stored.id;
    is_new := stored.key is null;
    conflicts_with := null;
    own_key := null;
    while not is_new loop
      select * into found from public.dlq_find_event(
        stored.said, stored.message, stored.key, own_key, bodies, repeat_seconds);
      id := coalesce(found.id, stored.id);
      conflicts_with := found.conflicts_with;
      if found.id is null then
        own_key := stored.key || case
          when not exists (select from public.dlq_events where event_key = stored.key) then ''
          when own_key <> '' then '@' || md5(id::text)
          else '@' || md5(concat((stored.said).consumer, stored.message,
            (stored.said).headers - coalesce((stored.said).passing, '{}'))) end;
        select each.id, key is null into id, is_new from public.dlq_insert_events(
          json_build_array(to_jsonb(stored.said)), bodies, own_key, conflicts_with) as each;
      else
        exit when found.is_repetition or id = any (locked);
        exit when stored.message is null and not found.is_redelivered;
        perform from public.dlq_events as event where event.id = found.id for no key update;
        locked := locked || id;
      end if;
    end loop;
    perform public.dlq_add_capture(id, stored.said, found.bytes, stored.message, found.is_redelivered,
      repeat_seconds) where not is_new and not found.is_repetition;
    return next;
  end loop;
end
$function$;
GRANT EXECUTE ON FUNCTION dlq_capture_events(json,bytea,double precision) TO dlq_capture;
GRANT EXECUTE ON FUNCTION dlq_capture_events(json,bytea,double precision) TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_change_event(of bigint, capture dlq_captured, effect text, completes boolean, decides boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  told constant text[] := array[capture.error_reason, capture.error_class, capture.error_stacktrace];
begin
  update public.dlq_events
  set trace_id = coalesce(trace_id, capture.trace_id),
      source_attempts = coalesce(source_attempts, capture.source_attempts),
      (error_reason, error_class, error_stacktrace, fingerprint, id_hashes) = (
        select latest[1], latest[2], latest[3], case
            when latest = known and not completes then fingerprint
            when latest = told then public.dlq_group_of(capture.fingerprint, capture.crowd, event_type,
              coalesce(source_subscription, consumer_group), latest[2], latest[1], latest[3]) end,
          case when latest[1] = error_reason and (trace_id is not null or capture.trace_id is null)
            then id_hashes end
        from (select array[error_reason, error_class, error_stacktrace] as known, case
          when decides and told[1] is not null then told
          when told[1] is null or error_reason in (told[1], 'not reported')
              or error_reason in (select error from public.dlq_attempts where event_id = of)
            then array[coalesce(told[1], error_reason), coalesce(error_class, told[2]),
              coalesce(error_stacktrace, told[3])]
          else array[error_reason, error_class, error_stacktrace] end as latest) as reasons),
      failure_count = failure_count + (effect <> 'voice')::integer,
      failed_delivery = case when effect = 'recurrence' or effect = 'another' and status = 'PROCESSING'
        then delivery_count else failed_delivery end,
      cause = case when effect <> 'another' then cause end,
      -- Not now() alone: a transaction that began before the other committed has an earlier now().
      last_failure_at = greatest(last_failure_at, case when effect <> 'voice' then now() end),
      failure_kind = case when decides then capture.error_kind else failure_kind end,
      max_retries = coalesce(case when decides then capture.max_retries end, max_retries),
      priority = coalesce(case when decides and capture.priority::text
        is distinct from metadata #>> '{decided,priority}' then capture.priority end, priority),
      metadata = case when decides and capture.metadata ? 'decided'
          and coalesce(jsonb_typeof(metadata), 'object') = 'object'
        then coalesce(metadata, '{}') || jsonb_build_object('decided', capture.metadata -> 'decided')
        else metadata end,
      updated_at = case when decides then now() else updated_at end,
      (retry_count, retry_after, status, processed_at) = (
        select retries, due, became, case
          when not is_decided then processed_at when became = 'FAILED_PERMANENTLY' then now() end
        from (select decides and status <> 'PROCESSING' as is_decided, case effect
            when 'recurrence' then retry_count + 1 when 'voice' then retry_count else 0 end as retries, case
            when not decides then retry_after
            when capture.retry_after is not null
              then least(now() + interval '1 year', greatest(now(), capture.retry_after))
            when processed_at is null then retry_after
            when effect = 'recurrence' then greatest(retry_after, now())
            else now() end as due) as next
        cross join lateral (select case
          when not is_decided then status
          when capture.error_kind = 'permanent' or capture.max_retries <= retries
            or effect = 'recurrence' and due = 'infinity' then 'FAILED_PERMANENTLY'
          else 'PENDING' end as became) as state)
  where id = of;
end
$function$;

CREATE OR REPLACE FUNCTION public.dlq_complete_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  is_plain constant boolean := current_setting('dlo.writes_complete_rows', true) is distinct from 'on';
  is_edited constant boolean := tg_op = 'UPDATE' and is_plain and new.payload is distinct from old.payload;
  has_other_reason constant boolean := tg_op = 'UPDATE' and new.error_reason <> old.error_reason;
  ids constant text[] := array[new.event_id, new.source_key, new.trace_id];
begin
  if (new.status = any ('{PENDING,PROCESSING,SUCCEEDED,FAILED_PERMANENTLY,DISCARDED}')) is not true then
    raise exception 'dlq_events.status: % is not one of PENDING, PROCESSING, SUCCEEDED, '
      'FAILED_PERMANENTLY, DISCARDED', quote_nullable(new.status) using errcode = 'check_violation';
  elsif tg_op = 'UPDATE' and new.id <> old.id then
    raise exception 'dlq_events.id: event % keeps its id: its attempts, captures and audit have it', old.id
      using errcode = 'check_violation', hint = 'INSERT a row with the other id, and DELETE this one.';
  elsif new.status = 'PROCESSING' then
    new.lease_token := coalesce(new.lease_token, gen_random_uuid());
    new.lease_expires_at := coalesce(new.lease_expires_at, now() + interval '5 minutes');
    insert into public.dlq_leases (token, event_ids, seconds)
    select new.lease_token, array[new.id], greatest(0, extract(epoch from new.lease_expires_at - now()))
    where not exists (
      select from public.dlq_leases where token = new.lease_token and new.id = any (event_ids));
    new.delivery_count := greatest(new.delivery_count, coalesce(old.delivery_count, 0) + found::integer);
  else
    if new.status = 'SUCCEEDED' then
      -- What its consumer reports from now on is a failure of this delivery.
      new.delivery_count := greatest(new.delivery_count, new.failed_delivery + 1);
    elsif new.lease_token is not null then
      new.failed_delivery := new.delivery_count;
    end if;
    new.lease_token := null;
    new.lease_expires_at := null;
  end if;
  if new.status = 'PENDING' and new.processed_at is not null and old.processed_at is not null then
    new.reopened_at := now();
    new.cause := null;
    new.retry_after := case when new.retry_after in ('infinity', old.retry_after)
      then least(new.retry_after, now()) else new.retry_after end;
  end if;
  new.processed_at := case
    when new.status not in ('PENDING', 'PROCESSING') then coalesce(new.processed_at, now()) end;
  if greatest(length(new.event_key), length(new.event_type), length(new.consumer_group),
      length(new.source_subscription)) > 600 then
    new := (select jsonb_populate_record(new, jsonb_object_agg(name, left(whole, 200) || '~' || md5(whole))
        || jsonb_build_object('metadata', coalesce(new.metadata, '{}') || jsonb_build_object('ignored',
          coalesce(new.metadata -> 'ignored', '{}') || jsonb_object_agg(name, whole))))
      from jsonb_each_text(to_jsonb(new)) as said (name, whole) where length(whole) > 600
        and name in ('event_key', 'event_type', 'consumer_group', 'source_subscription'));
  end if;
  if is_edited or has_other_reason or is_plain and new.event_type <> old.event_type then
    insert into public.dlq_captures (event_id, failure, is_original, is_report, facts, body)
    select old.id, 1, true, is_edited and old.is_exact is false, said, body
    from (
      select jsonb_build_object('payload', old.payload, 'headers', old.headers) || jsonb_strip_nulls(
        jsonb_build_object('payload_encoding', old.payload_encoding, 'printed_as', old.printed_as,
          'content_type', old.content_type)), old.body
      where is_edited and (old.is_exact is distinct from false or not exists (
        select from public.dlq_captures where event_id = old.id and is_original and facts ? 'payload'))
      union all select jsonb_build_object('event_type', old.event_type), null
      where new.event_type <> old.event_type
      union all select reason, null
      from jsonb_strip_nulls(jsonb_build_object('error_reason', old.error_reason,
        'error_class', old.error_class, 'error_stacktrace', old.error_stacktrace)) as reason
      where has_other_reason and old.error_reason <> 'not reported' and not exists (
        select from public.dlq_captures
        where event_id = old.id and (is_original and facts ? 'error_reason' or facts @> reason)
      ) and not exists (select from public.dlq_attempts where event_id = old.id and error = old.error_reason)
    ) as replaced (said, body);
  end if;
  if is_edited then
    new.is_exact := false;
    new.headers := new.headers - 'content-encoding';
    new.printed_as := null;
    new.body := nullif(new.body, old.body);
    new.payload_encoding := case when new.body is not null or jsonb_typeof(new.payload) = 'string' and (
        new.payload_encoding = 'text' or new.payload_encoding = 'base64'
        and new.payload #>> '{}' ~ '^(?=(.{4})*$)[A-Za-z0-9+/]*={0,2}$')
      then new.payload_encoding else 'json' end;
    new.content_type := case when new.body is null and new.payload_encoding <> 'base64' then regexp_replace(
      new.content_type, ';\s*charset=(?!"?utf-8)[^;]*', '; charset=utf-8', 'i') else new.content_type end;
  end if;
  if has_other_reason and is_plain then
    new.error_stacktrace := nullif(new.error_stacktrace, old.error_stacktrace);
    if new.error_stacktrace is null then new.error_class := nullif(new.error_class, old.error_class); end if;
    new.fingerprint := nullif(new.fingerprint, old.fingerprint);
  end if;
  if new.id_hashes is null or is_edited or has_other_reason
      or ids <> array[old.event_id, old.source_key, old.trace_id] then
    new.id_hashes := public.dlq_hash_ids(new.id, ids, concat_ws(' ', left(new.error_reason, 32768),
      case when new.payload_encoding <> 'base64' then left(new.payload::text, 32768) end,
      left(new.headers::text, 32768)));
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.dlq_count_changes()
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
  with moves as materialized (
    select
      was.event_type as old_type, was.fingerprint as old_group, was.status as old_status,
      became.event_type, became.fingerprint, became.status, captured_type,
      case when failures > 0 then date_trunc('hour', failed_at, 'UTC') end as failed,
      case when moved > 0 then date_trunc('hour', failed_before, 'UTC') end as failed_before,
      became.failure_count > 1 as has_recurred, count(*) as events, sum(failures) as failures,
      sum(moved) as moved, sum(retries) as retries, count(outcome) as closed,
      max(became.id) filter (where is_seen) as sample_event_id,
      min(failed_at) filter (where is_seen) as first_seen_at,
      max(case when retries > 0 then now() else greatest(became.last_failure_at, failed_at) end)
        filter (where is_seen) as last_seen_at
    from was
    join became using (id)
    cross join lateral (select
      case when became.failure_count > 1 then became.last_failure_at else became.created_at end as failed_at,
      case when was.failure_count > 1 then was.last_failure_at else was.created_at end as failed_before,
      greatest(became.failure_count - was.failure_count, 0) as recurrences,
      was.fingerprint is distinct from became.fingerprint as is_regrouped
    ) as latest
    cross join lateral (select case
      when became.reopened_at is not distinct from was.reopened_at
        then greatest(became.retry_count - was.retry_count - recurrences, 0) else 0 end as retries, case
      when became.failure_count = was.failure_count
        and (became.edited_from is null or became.failure_count > 1) and (is_regrouped
          or failed_at <> failed_before
            and date_trunc('hour', failed_at, 'UTC') <> date_trunc('hour', failed_before, 'UTC'))
        then 1 else 0 end as moved, case
      when became.status <> was.status and became.processed_at >= least(was.updated_at, now())
        and (became.status <> 'DISCARDED' or became.processed_at is distinct from (
          select max(edit.at) from public.dlq_audit_events as edit
          where edit.event_id = became.id and edit_id is not null and undone_by is null))
        then became.status end as outcome
    ) as happened
    cross join lateral (select recurrences + moved as failures,
      is_regrouped or retries + recurrences + moved > 0 as is_seen) as told
    cross join lateral (select case when failures > 0 then coalesce((
      select facts ->> 'event_type' from public.dlq_captures
      where event_id = became.id and failure = 1 and (is_original or is_first) and facts ? 'event_type'
      order by dlq_captures.id limit 1), was.event_type) end as captured_type) as original
    where is_seen or was.status <> became.status or was.event_type <> became.event_type
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  )
  insert into public.dlq_count_deltas
  select
    hour, type, coalesce(side.fingerprint, '') as of_group,
    sum(change * (side.status = 'PENDING')::int), sum(change * (side.status = 'PROCESSING')::int),
    sum(change * (side.status = 'SUCCEEDED')::int), sum(change * (side.status = 'FAILED_PERMANENTLY')::int),
    sum(change * (side.status = 'DISCARDED')::int),
    sum(side.failures * (not has_recurred)::int), sum(side.failures * has_recurred::int), sum(side.retries),
    sum(side.closed * (side.status = 'SUCCEEDED')::int),
    sum(side.closed * (side.status = 'FAILED_PERMANENTLY')::int),
    sum(side.closed * (side.status = 'DISCARDED')::int),
    max(sample_event_id) filter (where is_new), min(first_seen_at) filter (where is_new),
    max(last_seen_at) filter (where is_new)
  from moves
  cross join lateral (values
    (date_trunc('hour', now(), 'UTC'), event_type, moves.fingerprint, moves.status, events, 0, moves.retries,
      moves.closed, true),
    (date_trunc('hour', now(), 'UTC'), old_type, old_group, old_status, -events, 0, 0, 0, false),
    (failed, captured_type, moves.fingerprint, '', 0, moves.failures, 0, 0, true),
    (failed_before, captured_type, old_group, '', 0, -moved, 0, 0, false)
  ) as side (hour, type, fingerprint, status, change, failures, retries, closed, is_new)
  where change <> 0 or side.failures <> 0
  group by hour, type, of_group;
  if found and current_setting('dlo.notify', true) = 'on' then
    notify dlq_events;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.dlq_count_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_nestloop TO 'off'
AS $function$
declare
  is_product constant boolean := coalesce(current_setting('dlo.writes_complete_rows', true), '') = 'on';
  is_insert constant boolean := tg_op = 'INSERT';
  gone bigint[];
  highest bigint;
begin
  if tg_op = 'TRUNCATE' then
    perform public.dlq_recount();
    highest := greatest(
      (select max(id) from public.dlq_events_archive), (select max(event_id) from public.dlq_run_events),
      (select max(event_id) from public.dlq_audit_events), (select max(event_id) from public.dlq_audit));
    gone := array(
      select event_id from public.dlq_captures union select event_id from public.dlq_attempts);
  else
    if not is_product and is_insert then
      highest := (select max(id) from changed);
    elsif not is_product then
      gone := array(select id from changed);
    end if;
    insert into public.dlq_count_deltas
    select
      hour, event_type, coalesce(fingerprint, '') as of_group,
      change * count(*) filter (where status = 'PENDING'),
      change * count(*) filter (where status = 'PROCESSING'),
      change * count(*) filter (where status = 'SUCCEEDED'),
      change * count(*) filter (where status = 'FAILED_PERMANENTLY'),
      change * count(*) filter (where status = 'DISCARDED'), count(*) filter (where is_new),
      coalesce(sum(failure_count - 1) filter (where is_new), 0), 0, 0,
      count(*) filter (where status = 'FAILED_PERMANENTLY' and is_new), 0, max(id) filter (where is_insert),
      min(created_at) filter (where is_insert),
      max(greatest(last_failure_at, created_at)) filter (where is_insert and edited_from is null),
      count(*) filter (where conflicts_with is not null and is_new)
    from changed
    cross join lateral (select is_insert and reopened_at is null as is_new,
      case when is_insert then 1 else -1 end as change,
      date_trunc('hour', case when not is_insert then now()
        when failure_count > 1 then last_failure_at else created_at end, 'UTC') as hour) as counted
    group by hour, event_type, of_group, change;
  end if;
  if found and current_setting('dlo.notify', true) = 'on' then
    notify dlq_events;
  end if;
  -- Continues the ids of events behind one that was not taken from their sequence.
  if highest is not null then
    perform setval('public.dlq_events_id_seq', highest) from public.dlq_events_id_seq
    where highest > last_value;
  end if;
  if gone <> '{}' then
    gone := array(select unnest(gone) except select id from public.dlq_events_archive where id = any (gone));
    delete from public.dlq_captures where event_id = any (gone);
    delete from public.dlq_attempts where event_id = any (gone);
  end if;
  return null;
end
$function$;

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
      recent = right(run.recent || change.outcomes, 50),
      ended_at = coalesce(run.ended_at, case when run.waiting = change.settled then clock_timestamp() end),
      stopped = case when run.ended_at is null and run.waiting = change.settled then 'all done'
        else run.stopped end
  from (
    select
      run_id,
      sum((new_row.outcome = 'delivered')::int - (old_row.outcome = 'delivered')::int) as delivered,
      sum((new_row.outcome = 'failed')::int - (old_row.outcome = 'failed')::int) as failed,
      sum((new_row.outcome = 'skipped')::int - (old_row.outcome = 'skipped')::int) as skipped,
      sum(new_row.is_leased::int - old_row.is_leased::int) as in_flight,
      sum((old_row.outcome = 'waiting')::int - (new_row.outcome = 'waiting')::int) as settled,
      coalesce(string_agg(case new_row.reason when 'target' then 't' else left(new_row.outcome, 1) end, ''
        order by new_row.settled_at, event_id) filter (
        where old_row.outcome = 'waiting' and new_row.outcome in ('delivered', 'failed')), '') as outcomes
    from new_rows as new_row
    join old_rows as old_row using (run_id, event_id)
    group by run_id
  ) as change
  where run.id = change.run_id;

  return null;
end
$function$;

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
  added record;
begin
  for added in
    select attname as name, format_type(atttypid, atttypmod) as type
    from pg_attribute as own
    where attrelid = 'public.dlq_events'::regclass and attnum > 0 and not attisdropped and not exists (
      select from pg_attribute as other
      where other.attrelid = 'public.dlq_events_archive'::regclass and other.attname = own.attname)
    order by attnum
  loop
    execute format('alter table public.dlq_events_archive add column %I %s', added.name, added.type);
  end loop;
  -- The lock of ATTACH PARTITION, taken early. Not an advisory lock: any login could hold that.
  lock table only public.dlq_events_archive in share update exclusive mode;
  -- The event with the lowest id is nearly always the oldest, and min(created_at) would read the whole table.
  -- Older events go to the default partition, and from there to their month with the next call.
  foreach starts_at in array array(
    select generate_series(date_trunc('month', greatest(least(now(), oldest), now() - interval '5 years')),
      now() + make_interval(months => ahead), interval '1 month')
    from (select (select created_at from public.dlq_events order by id limit 1) as oldest) as event
    union
    -- Each takes locks; the next call creates others.
    (select distinct date_trunc('month', created_at) from public.dlq_events_archive_default
      where created_at >= '1000-01-01' and created_at < '10000-01-01' limit 60)
    order by 1
  ) loop
    ends_at := starts_at + interval '1 month';
    partition := 'dlq_events_archive_' || to_char(starts_at, 'YYYY_MM');
    continue when to_regclass('public.' || partition) is not null;
    begin
      execute format('create table public.%I (like public.dlq_events_archive)', partition);
      execute format('alter table public.%I replica identity full', partition);
      execute format(
        'with moved as (
           delete from public.dlq_events_archive_default
           where created_at >= $1 and created_at < $2 returning *)
         insert into public.%I select * from moved', partition) using starts_at, ends_at;
      execute format('alter table public.dlq_events_archive attach partition public.%I
        for values from (%L) to (%L)', partition, starts_at, ends_at);
      return next partition;
    exception when invalid_object_definition then
      -- A team attached a partition of its own, which has this month.
    end;
  end loop;
end
$function$;
GRANT EXECUTE ON FUNCTION dlq_create_archive_partitions(integer) TO dlq_maintain;

CREATE OR REPLACE FUNCTION public.dlq_drop_archive_month(month date, exported numeric, after bigint, page integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
 SET lock_timeout TO '3s'
AS $function$
declare
  attached regclass := to_regclass('public.dlq_events_archive_' || to_char(month, 'YYYY_MM'));
  differs boolean;
  dropped regclass;
  ends_at timestamptz;
  ids bigint[];
begin
  if attached is not null then
    lock table only public.dlq_events_archive;
    execute format('select coalesce(sum(hash_record_extended((id, reopened_at, updated_at), 0)), 0) <> $1
      from %s where $1 is not null', attached) into differs using exported;
    if differs then
      return null;
    end if;
    execute format('alter table public.dlq_events_archive detach partition %s', attached);
    execute format(
      'alter table %s rename to %I', attached, 'dlq_events_dropped_' || to_char(month, 'YYYY_MM'));
    return 0;
  end if;
  select oid, to_date(right(relname, 7), 'YYYY_MM') + interval '1 month' into dropped, ends_at
  from pg_class
  where relname ~ '^dlq_events_dropped_[0-9]{4}_[0-9]{2}$'
    and relnamespace = 'public'::regnamespace
  order by relname
  limit 1;
  if dropped is null then
    return null;
  end if;
  execute format('select array(select id from %s where id > $1 order by id limit $2)', dropped)
  into ids using after, page;
  if cardinality(ids) > 0 then
    delete from public.dlq_attempts where event_id = any (ids);
    delete from public.dlq_captures where event_id = any (ids);
    delete from public.dlq_audit_events where event_id = any (ids);
    return ids[cardinality(ids)];
  end if;
  delete from public.dlq_run_events
  where (run_id, event_id) in (
    select own.run_id, own.event_id
    from public.dlq_runs as run
    join public.dlq_run_events as own on own.run_id = run.id
    where run.trigger = 'replay' and run.ended_at < ends_at
    limit page
  );
  if found then
    return after;
  end if;
  -- Metrics read the latest tick, however old it is.
  delete from public.dlq_runs
  where trigger = 'schedule' and started_at < ends_at and ended_at < ends_at
    and id < (select max(id) from public.dlq_runs where trigger = 'schedule');
  execute format('drop table %s', dropped);
  return 0;
end
$function$;
GRANT EXECUTE ON FUNCTION dlq_drop_archive_month(date,numeric,bigint,integer) TO dlq_maintain;

CREATE OR REPLACE FUNCTION public.dlq_edit_events(audit bigint, ids bigint[], bodies bytea[], headers jsonb[])
 RETURNS TABLE(original_id bigint, edit_id bigint, status text, failure_count integer)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  -- The next statement sees what was done until all of them were locked.
  select from public.dlq_events where id = any (ids) order by id for no key update;
  with original as materialized (
    select event.*, nextval('public.dlq_events_id_seq') as new_id, new_body, new_headers,
      coalesce(edited_from, event.id) as captured_id, regexp_replace(event_key, '@#[0-9a-f]{32}$', '') as key
    from (select * from unnest(ids, bodies, headers) as edit (of, new_body, new_headers) order by of) as edit
    cross join lateral (
      select * from public.dlq_events
      where id = of and (status <> 'PROCESSING' or lease_expires_at <= now())
        and (status <> 'DISCARDED' or not exists (
          select from public.dlq_audit_events
          where event_id = of and edit_id is not null and undone_by is null))
      limit 1
    ) as event
  ),
  edited as (
    insert into public.dlq_events (
      id, edited_from, event_key, metadata, occurred_at, error_reason, status, processed_at, retry_after,
      reopened_at, first_failure_at, last_failure_at, priority, max_retries, event_type, event_id,
      fingerprint, trace_id, error_class, error_stacktrace, payload, body, printed_as, payload_encoding,
      is_exact, content_type, headers, source_kind, source_topic, source_partition, source_offset,
      source_key, source_key_bytes, source_subscription, consumer_group, source_attempts)
    select
      new_id, captured_id, concat(key, '@#', md5(new_id::text)), metadata, occurred_at, error_reason,
      case when is_open then 'PENDING' else 'FAILED_PERMANENTLY' end, case when not is_open then now() end,
      retry_after, now(), first_failure_at, last_failure_at, priority, max_retries, event_type, event_id,
      fingerprint, trace_id, error_class, error_stacktrace, case when new_body is null then payload
        when encoding = 'base64' then to_jsonb(translate(encode(new_body, 'base64'), E'\n', ''))
        when encoding = 'text' then to_jsonb(convert_from(new_body, 'UTF8'))
        else convert_from(new_body, 'UTF8')::jsonb end, coalesce(new_body, body),
      case when new_body is null then printed_as end, encoding, new_body is not null or is_exact,
      case when new_body is null or encoding = 'base64' then content_type else regexp_replace(
        content_type, ';\s*charset=(?!"?utf-8)[^;]*', '; charset=utf-8', 'i') end,
      coalesce(new_headers, case when new_body is null then original.headers
        else original.headers - 'content-encoding' end), source_kind, source_topic, source_partition,
      source_offset, source_key, source_key_bytes, source_subscription, consumer_group, source_attempts
    from original
    cross join lateral (select case
      when new_body is null then payload_encoding
      when not pg_input_is_valid(new_body::text, 'public.dlq_utf8') then 'base64'
      when payload_encoding = 'json' and pg_input_is_valid(convert_from(new_body, 'UTF8'), 'jsonb')
        then 'json' else 'text' end as encoding) as edit
  ),
  closed as (
    update public.dlq_events
    set status = 'DISCARDED', processed_at = now(), lease_token = null, lease_expires_at = null,
        updated_at = now()
    where id = any (array(select id from original where is_blocking))
  ),
  audited as (
    insert into public.dlq_audit_events (event_id, audit_id, status, priority, retry_count, retry_after,
      processed_at, reopened_at, failure_count, delivery_count, edit_id)
    select id, audit, status, priority, retry_count, retry_after, processed_at, reopened_at, failure_count,
      delivery_count, new_id
    from original
    union all
    select new_id, audit, null, null, null, null, null, null, null, null, null from original
  )
  select id, new_id, case when is_open then 'PENDING' else 'FAILED_PERMANENTLY' end, 1 from original
$function$;
GRANT EXECUTE ON FUNCTION dlq_edit_events(bigint,bigint[],bytea[],jsonb[]) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_edit_events(bigint,bigint[],bytea[],jsonb[]) TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_edit_run_events(run bigint, after integer, up_to integer, ids bigint[], bodies bytea[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  update public.dlq_runs set edited_to = up_to
  where id = run and edited_to = after and patch is not null and ended_at is null;
  if not found then
    return;
  end if;
  perform from public.dlq_events where id = any (ids) order by id for no key update;
  -- By key: without statistics about a new run, the planner would read all of its events.
  with waiting as materialized (
    select of, body, exists (
      select from public.dlq_events as event
      where id = of and event.failure_count = own.failure_count and (is_blocking or event.status = own.status)
    ) as is_same
    from unnest(ids, bodies) as edit (of, body)
    cross join lateral (
      select * from public.dlq_run_events where run_id = run and event_id = of limit 1
    ) as own
    where outcome = 'waiting'
  ),
  edited as (
    select edited.*
    from (select array_agg(of) as ids, array_agg(body) as bodies from waiting where is_same) as edits
    cross join lateral public.dlq_edit_events(
      (select min(id) from public.dlq_audit where run_id = run and action = 'create run'),
      edits.ids, edits.bodies, null) as edited
  )
  update public.dlq_run_events as own
  set event_id = coalesce(edit_id, of), failure_count = coalesce(edited.failure_count, own.failure_count),
      status = coalesce(edited.status, own.status),
      outcome = case when edit_id is null then 'skipped' else outcome end,
      reason = case when edit_id is null then 'changed' end,
      settled_at = case when edit_id is null then now() end
  from waiting
  left join edited on original_id = of
  where own.run_id = run and own.event_id = of and own.event_id = any (array(select of from waiting));
end
$function$;
GRANT EXECUTE ON FUNCTION dlq_edit_run_events(bigint,integer,integer,bigint[],bytea[]) TO dlq_retry;

CREATE OR REPLACE FUNCTION public.dlq_find_event(capture dlq_captured, message jsonb, message_key text, own_key text, bodies bytea, repeat_seconds double precision)
 RETURNS SETOF dlq_found
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  redelivered constant bigint := (
    select id from public.dlq_events where id = split_part(capture.redelivery, '.', 1)::bigint
      and redelivery_token = split_part(capture.redelivery, '.', 2)::uuid);
  has_id constant boolean := capture.message_key not like 'sha256:%';
  received constant bytea := coalesce(substring(bodies from capture.body_start for capture.body_length),
    convert_to(capture.content, 'UTF8'));
  own_headers constant jsonb[] := array(select jsonb_build_array(lower(key), value)
    from jsonb_each(capture.headers - coalesce(capture.passing, '{}')) order by 1);
begin
  return query
  with known as (
    select event.id, conflicts_with, said.consumer, coalesce(event.id = redelivered, false) as is_redelivered,
      edited_from, has_bytes, is_equal, case when said.consumer = capture.consumer then 2
        else num_nulls(said.consumer, capture.consumer) end as fit,
      -- A signature may not cover the headers: any caller may set others.
      (is_equal or capture.delivery_id like 'signature:%')
        and (is_exact or payload_encoding <> 'none') is true and exists (select from public.dlq_all_captures
          where event_id = event.id and delivery_id = capture.delivery_id offset 0) as is_repetition,
      is_equal and (has_id or failed_delivery = delivery_count
        and abs(extract(epoch from now() - last_failure_at)) < repeat_seconds) as is_same
    from public.dlq_events as event
    cross join lateral coalesce(body = received or body is null
      and (capture.origin = 'report' or payload_encoding <> 'json' or printed_as is not null)
      and (capture.payload_encoding, capture.printed_as, message)
        is not distinct from (payload_encoding, printed_as, payload), false) as has_bytes
    cross join lateral (select coalesce(case
        when message is null or payload_encoding = 'none' and is_exact is not true then true
        when capture.origin is null and is_exact then has_bytes and coalesce(
          regexp_replace(lower(content_type), '[[:space:]]*;[[:space:]]*charset="?utf-8"?', '') =
          regexp_replace(lower(capture.content_type), '[[:space:]]*;[[:space:]]*charset="?utf-8"?', ''), true)
        else message = payload or exists (select from public.dlq_captures
          -- By the offsets, captures are looked up for each event, not all read, and it is compared once.
          where event_id = event.id and is_original and facts -> 'payload' = message offset 0)
      end and (case when capture.origin is null then is_exact
          when capture.origin = 'report' then not is_exact end is not true
        or is_exact is not true and '{}' in (coalesce(capture.headers, '{}'), headers)
        or own_headers is not distinct from array(select jsonb_build_array(lower(key), value)
          from jsonb_each(headers - array(select jsonb_array_elements_text(arrival -> 'passing'))) order by 1)
      ), false) and (has_id or (left(event_type, 200), source_topic, source_key)
        is not distinct from (left(capture.event_type, 200), capture.source_topic, capture.source_key))
        as is_equal offset 0) as comparison
    left join lateral (select voice.consumer from public.dlq_all_captures as voice
      where event_id = event.id and is_proven and voice.consumer is not null order by voice.id nulls first
      limit 1) as said on true
    where event.id = any (array(
      select redelivered union select id from public.dlq_events where event_key in (message_key, own_key)
      union (select id from public.dlq_events where event_key > message_key || '@'
        and event_key < message_key || 'A' order by event_key limit 100)))
  ),
  fitting as (
    select *, min(consumer) over same is not distinct from max(consumer) over same as is_only
    from known where is_redelivered or fit > 0 and (is_repetition or is_same)
    window same as (partition by fit)
  )
  select chosen.id, chosen.is_redelivered, chosen.is_repetition,
    case when chosen.id is null then first.id else chosen.conflicts_with end,
    case when chosen.has_bytes then null else received end
  from (select case when not bool_or(is_equal) then min(id) end as id from known where fit > 0) as first
  left join (
    select * from fitting where is_redelivered or is_only
    order by is_redelivered desc, is_repetition desc, fit desc, coalesce(edited_from, id),
      id * case when capture.origin = 'report' and capture.publication is null then -1 else 1 end limit 1
  ) as chosen on true;
end
$function$;

CREATE OR REPLACE FUNCTION public.dlq_group_of(fingerprint text, crowd text, event_type text, consumer text, error_class text, error_reason text, error_stacktrace text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_variable
declare
  name text := fingerprint;
  part text;
begin
  if crowd is not null and not exists (
      select from public.dlq_error_groups as known where known.fingerprint = name) then
    name := crowd;
  end if;
  if not exists (select from public.dlq_error_groups where split_field is not null) then
    return name;
  end if;
  -- A part may be split again. Groups are compared with those that they are merged into.
  for depth in 1 .. 5 loop
    select rule.fingerprint into part
    from public.dlq_error_groups as rule
    left join public.dlq_error_groups as origin on origin.fingerprint = rule.split_from
    left join public.dlq_error_groups as own on own.fingerprint = name
    where rule.split_field is not null and rule.fingerprint <> name
      and (rule.split_from is null
        or coalesce(own.merged_into, name) = coalesce(origin.merged_into, rule.split_from))
      and public.dlq_has_value(rule.split_field, rule.split_value, event_type, consumer, error_class,
        error_reason, error_stacktrace)
    order by rule.split_from nulls last, rule.fingerprint
    limit 1;
    exit when part is null;
    name := part;
  end loop;
  return name;
end
$function$;
GRANT EXECUTE ON FUNCTION dlq_group_of(text,text,text,text,text,text,text) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_group_of(text,text,text,text,text,text,text) TO dlq_maintain;
GRANT EXECUTE ON FUNCTION dlq_group_of(text,text,text,text,text,text,text) TO dlq_replay;
GRANT EXECUTE ON FUNCTION dlq_group_of(text,text,text,text,text,text,text) TO dlq_retry;

CREATE OR REPLACE FUNCTION public.dlq_has_value(field text, value text, event_type text, consumer text, error_class text, error_reason text, error_stacktrace text)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE field WHEN 'words'::text THEN (strpos(lower(concat_ws(' '::text, error_class, error_reason, "left"(error_stacktrace, 65536))), lower(value)) > 0) WHEN 'class'::text THEN (COALESCE(error_class, ''::text) = value) WHEN 'type'::text THEN (event_type = value) ELSE (COALESCE(consumer, ''::text) = value) END;
GRANT EXECUTE ON FUNCTION dlq_has_value(text,text,text,text,text,text,text) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_has_value(text,text,text,text,text,text,text) TO dlq_maintain;
GRANT EXECUTE ON FUNCTION dlq_has_value(text,text,text,text,text,text,text) TO dlq_replay;
GRANT EXECUTE ON FUNCTION dlq_has_value(text,text,text,text,text,text,text) TO dlq_retry;

CREATE OR REPLACE FUNCTION public.dlq_hash_ids(event bigint, own text[], said text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  hashes text := '';
  value text;
  hash bigint;
begin
  for value in
    select lower(left(id, 64) collate "C") from unnest(own) as id where id <> ''
    union all (select id
    from (
      select lower(btrim(run[1], '._-')) as id, min(place) as first
      from regexp_matches(said, E'\\\\(?:u[0-9A-Fa-f]{4}|.)|[.]?[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]*', 'g')
        with ordinality as found (run, place)
      where run[1] !~ E'^(\\\\|[.][0-9]+[-_]*$)'
      group by 1
    ) as runs
    where length(id) between 6 and 64 and regexp_count(id, '[0-9]') >= 3 and id !~ (
      '^([0-9]{4}-[0-9]{2}-[0-9]{2}(t.*)?|(19|20)[0-9]{2}(0[1-9]|1[0-2])[0-3][0-9](t[0-9]+z?)?|'
      '1[4-9][0-9]{8}([0-9]{3}){0,3}|00-[0-9a-f]{32}-[0-9a-f]{16}-..)$')
    order by first limit 6)
  loop
    hash := 2166136261;
    for i in 1 .. length(value) loop
      hash := (hash # ascii(substr(value, i, 1))) * 16777619 & 4294967295;
    end loop;
    hashes := hashes || chr((((event >> 17 & 15) + 1) << 16 | ((hash # (hash >> 16)) & 65535))::integer);
  end loop;
  return hashes;
end
$function$;

CREATE OR REPLACE FUNCTION public.dlq_insert_events(captures json, bodies bytea, own_key text, rival bigint)
 RETURNS TABLE(place integer, id bigint, key text, message jsonb)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
begin
  return query
  with received as materialized (
    select said.*, coalesce(error_reason, 'not reported') as reason, ordinality::int as place,
      case when length(message_key) <= 600 then message_key
        else left(message_key, 200) || '~' || md5(message_key) end as key,
      nextval('public.dlq_events_id_seq') as new_id, (select split_part(event_key, '@', 1)
        from public.dlq_events where id = split_part(redelivery, '.', 1)::bigint
          and redelivery_token = split_part(redelivery, '.', 2)::uuid) as redelivered
    from json_populate_recordset(null::public.dlq_captured, captures) with ordinality as said
  ),
  -- Not materialized: a payload is read where it is stored or returned.
  read as not materialized (
    select received.*, bytes, coalesce(case payload_encoding
        when 'text' then to_jsonb(coalesce(content, convert_from(bytes, 'UTF8')))
        when 'base64' then to_jsonb(translate(encode(bytes, 'base64'), E'\n', ''))
        when 'json' then coalesce(content, convert_from(bytes, 'UTF8'))::jsonb
      end, 'null') as payload
    from received
    cross join lateral (select substring(bodies from body_start for body_length) as bytes) as message
  ),
  inserted as (
    insert into public.dlq_events (id, event_key, conflicts_with, arrival, event_type,
      event_id, payload, payload_encoding, body, printed_as, is_exact, content_type, headers, error_reason,
      error_stacktrace, error_class, source_kind, source_topic, source_partition, source_offset, source_key,
      source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id, occurred_at, metadata,
      fingerprint, status, failure_kind, retry_after, max_retries, priority, id_hashes)
    select new_id, coalesce(own_key, key), rival,
      nullif(jsonb_strip_nulls(jsonb_build_object('delivery_id', delivery_id, 'origin', origin,
        'publication', publication, 'consumer', consumer, 'failed_at', failed_at, 'passing', passing)), '{}'),
      event_type, event_id, payload, payload_encoding,
      case when printed_as is null and (payload_encoding = 'json' or content is not null) then bytes end,
      case when payload_encoding = 'json' then printed_as end,
      case when origin is null then true when origin = 'report' then false end, content_type,
      coalesce(headers, '{}'), reason, error_stacktrace, error_class, source_kind,
      source_topic, source_partition, source_offset, source_key, decode(source_key_bytes, 'base64'),
      source_subscription, consumer_group, source_attempts, trace_id, occurred_at, metadata, case
        -- Read once, not for each capture.
        when crowd is null and not exists (select from public.dlq_error_groups where split_field is not null)
          then fingerprint
        else public.dlq_group_of(fingerprint, crowd, event_type,
          coalesce(source_subscription, consumer_group), error_class, reason, error_stacktrace) end,
      case when error_kind = 'permanent' or max_retries = 0 then 'FAILED_PERMANENTLY' else 'PENDING' end,
      -- Not before now, and within a year.
      error_kind, least(now() + interval '1 year', greatest(now(), retry_after)), max_retries,
      coalesce(priority, 0), case when length(concat(event_type, consumer_group, source_subscription)) <= 600
        and id_hashes is not null then array_to_string(array(
          select chr(((new_id >> 17 & 15) + 1)::int << 16 | hash) from unnest(id_hashes) as hash), '') end
    from read
    where own_key is not null or redelivered is null
      and not exists (select 1 from public.dlq_events where event_key = key union all
        select 1 from public.dlq_events where event_key > key || '@' and event_key < key || 'A')
    -- Sorted by key: two statements with the same events must lock in the same order.
    order by key, place on conflict do nothing
    returning dlq_events.id
  )
  select place, new_id, case when inserted.id is null then coalesce(redelivered, key) end, case
    when inserted.id is null and (origin, payload_encoding) is distinct from ('report', 'none')
    then payload end from read left join inserted on inserted.id = new_id;
end
$function$;

CREATE OR REPLACE FUNCTION public.dlq_judge_capture(of bigint, capture dlq_captured, has_message boolean, is_redelivered boolean, repeats interval)
 RETURNS TABLE(effect text, failure integer, completes boolean, replaces boolean, decides boolean)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
begin
  return query select row_of_table.effect,
    case when effect = 'voice' and not is_redelivered then told end, completes,
    completes or has_message and capture.origin is null and not is_redelivered
      and event.is_exact is not true and not exists (
        select from public.dlq_captures where event_id = of and is_original and facts ? 'payload'),
    completes or effect <> 'voice' or has_message and capture.origin is not distinct from 'report'
      and event.status = 'PENDING' and not is_delivered_since and not exists (
        select from public.dlq_all_captures where event_id = event.id and is_report and is_proven)
  from public.dlq_events as event
  cross join lateral greatest(case when event.status = 'PROCESSING' then event.updated_at end, '-infinity',
    (select max(started_at) from public.dlq_attempts where event_id = of)) as delivered_at
  cross join lateral (select
    has_message and event.payload_encoding = 'none' and event.is_exact is not true as completes,
    to_timestamp(nullif(split_part(capture.publication, '@', 1), '')::numeric / 1000) as published_at,
    capture.failed_at < delivered_at - interval '10 s' and delivered_at < now() + interval '5 s' as is_older,
    event.failed_delivery < event.delivery_count and (event.status = 'SUCCEEDED' or not exists (
      select from public.dlq_captures where event_id = of and is_first and captured_at > delivered_at
    )) as is_delivered_since
  ) as facts
  cross join lateral (
    select max(gave_up_at) as gave_up_at, bool_and(is_told is false) as is_other, coalesce(
      max(known.failure) filter (where is_told),
      min(known.failure) filter (where first_told_at >= published_at and is_told is null)) as told
    -- The failures of the application: whether each is of this publication; null: it is not known.
    from (
      select voice.failure, bool_or(is_same) as is_told, min(told_at) as first_told_at,
        max(told_at) filter (where is_same and not is_report) as gave_up_at
      from public.dlq_all_captures as voice
      cross join lateral string_to_array(capture.publication, '@', '') as said
      cross join lateral string_to_array(publication, '@', '') as heard
      cross join lateral coalesce(
        said[1] = heard[1] and said[2] = heard[2], said[1] = heard[1], said[2] = heard[2]) as is_same
      where event_id = event.id and attempt is null and is_proven
      group by voice.failure
    ) as known
  ) as publications
  cross join lateral (select case
    when is_redelivered and event.failed_delivery < event.delivery_count
      and coalesce(capture.attempt, event.delivery_count) >= event.delivery_count then 'recurrence'
    when is_redelivered or is_older or not has_message or completes and not is_delivered_since then 'voice'
    -- Its broker gave it up before: it was rewound.
    when capture.origin is distinct from 'report'
      and least(capture.failed_at, now()) > gave_up_at + repeats then 'another'
    when told is not null then 'voice'
    when is_other or published_at is not null then 'another'
    when is_delivered_since then 'recurrence'
    when event.last_failure_at > now() - repeats and event.last_failure_at < now() + repeats then 'voice'
    else 'another' end as effect
  ) as row_of_table
  where event.id = of;
end
$function$;

CREATE OR REPLACE FUNCTION public.dlq_recount()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  lock table public.dlq_counts in share update exclusive mode;
  insert into public.dlq_count_deltas
  select
    date_trunc('hour', now(), 'UTC'), event_type, fingerprint, sum(pending), sum(processing), sum(succeeded),
    sum(failed_permanently), sum(discarded), 0, 0, 0, 0, 0, 0, null, null, null
  from (
    select
      event_type, coalesce(fingerprint, '') as fingerprint, (status = 'PENDING')::int as pending,
      (status = 'PROCESSING')::int as processing, (status = 'SUCCEEDED')::int as succeeded,
      (status = 'FAILED_PERMANENTLY')::int as failed_permanently, (status = 'DISCARDED')::int as discarded
    from public.dlq_events
    union all
    select event_type, fingerprint, -pending, -processing, -succeeded, -failed_permanently, -discarded
    from public.dlq_counts_exact
    where hour is null
  ) as differences
  group by event_type, fingerprint
  having (sum(pending), sum(processing), sum(succeeded), sum(failed_permanently), sum(discarded))
    <> (0, 0, 0, 0, 0);
end
$function$;
COMMENT ON FUNCTION dlq_recount() IS 'Corrects the current counts by reading all events. Needed only after changes that bypassed the triggers.';

CREATE OR REPLACE FUNCTION public.dlq_replace_content(event dlq_events, capture dlq_captured, bytes bytea, message jsonb, completes boolean)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET bytea_output TO 'hex'
AS $function$
  insert into public.dlq_captures
    (event_id, failure, captured_at, is_first, is_original, is_report, is_proven, consumer, facts, body)
  select event.id, 1, event.created_at, completes, not completes, event.is_exact is false, not completes,
    event.arrival ->> 'consumer', jsonb_object_agg(key, value), event.body
  from jsonb_each(to_jsonb(event)) where value <> 'null'
    and key ~ '^(error|source|payload|printed|content|headers|event_(type|id)|trace|occurred|metadata)';
  update public.dlq_events as replaced
  set payload = message, payload_encoding = capture.payload_encoding,
      printed_as = case when capture.payload_encoding = 'json' then capture.printed_as end,
      body = case when capture.printed_as is null and (capture.payload_encoding = 'json'
        or capture.content is not null) then coalesce(bytes, event.body) end,
      is_exact = case when capture.origin is null then true when capture.origin = 'report' then false end,
      content_type = capture.content_type, headers = coalesce(capture.headers, '{}'),
      source_key = capture.source_key, source_key_bytes = decode(capture.source_key_bytes, 'base64'),
      arrival = jsonb_strip_nulls(jsonb_build_object('passing', capture.passing) || case
        when completes then jsonb_build_object('delivery_id', capture.delivery_id, 'origin', capture.origin,
          'publication', capture.publication, 'consumer', capture.consumer, 'failed_at', capture.failed_at)
        else coalesce(event.arrival, '{}') - 'passing' end),
      metadata = case when not completes and jsonb_typeof(event.metadata) = 'object'
        then event.metadata - 'damaged' else told.metadata end,
      id_hashes = null, updated_at = now(), event_id = coalesce(told.event_id, event.event_id),
      (event_type, source_kind, source_topic, source_partition, source_offset, source_subscription,
        consumer_group, occurred_at, max_retries, priority, retry_count, retry_after, cause, failed_delivery)
        = (told.event_type, told.source_kind, told.source_topic, told.source_partition, told.source_offset,
        told.source_subscription, told.consumer_group, told.occurred_at, told.max_retries, told.priority,
        told.retry_count, told.retry_after, told.cause, told.failed_delivery)
  from jsonb_populate_record(event, case when completes then to_jsonb(capture) || jsonb_build_object(
    'max_retries', null, 'priority', coalesce(capture.priority, 0), 'retry_count', 0, 'retry_after', now(),
    'cause', null, 'failed_delivery', event.delivery_count) else '{}' end) as told
  where replaced.id = event.id
$function$;

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
      and attname <> 'reopened_at');
begin
  return query execute format($sql$
    with archived as (
      -- Locked: two calls restore an event once.
      select * from public.dlq_events_archive where id = any ($1) for update
    ),
    restored as (
      insert into public.dlq_events (%1$s, reopened_at) select %1$s, now() from archived
      on conflict do nothing returning id
    )
    delete from public.dlq_events_archive where id in (select id from restored) returning id
  $sql$, columns) using ids;
end
$function$;
GRANT EXECUTE ON FUNCTION dlq_restore_events(bigint[]) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_restore_events(bigint[]) TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_undo_events(audit bigint, undo bigint, ids bigint[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  changed integer;
  edits bigint[];
begin
  perform from public.dlq_events
  where id = any (ids || array(
    select edit_id from public.dlq_audit_events where audit_id = audit and event_id = any (ids)))
  order by id for no key update;
  with undone as materialized (
    select * from public.dlq_undoable
    where audit_id = audit and event_id = any (ids) and reason is null
  ),
  restored as (
    update public.dlq_events as event
    set status = case undone.status when 'PROCESSING' then 'PENDING' else undone.status end,
        priority = undone.priority, retry_count = undone.retry_count, retry_after = undone.retry_after,
        processed_at = undone.processed_at, reopened_at = undone.reopened_at, updated_at = now()
    from undone
    where event.id = undone.event_id
  ),
  audited as (
    insert into public.dlq_audit_events (event_id, audit_id) select event_id, undo from undone
  ),
  recorded as (
    -- By key: without statistics about a new action, the planner would join it with all of its events.
    update public.dlq_audit_events set undone_by = undo
    where audit_id = audit and event_id = any (array(select event_id from undone))
  )
  select count(*)::int, array_agg(edit_id) into changed, edits from undone;
  with withdrawn as (
    delete from public.dlq_events as event where id = any (edits) returning event
  )
  insert into public.dlq_events_archive
  select archived.*
  from withdrawn
  cross join lateral jsonb_populate_record(null::public.dlq_events_archive, to_jsonb(event)
    || '{"status": "DISCARDED", "is_open": false, "is_blocking": false}'
    || jsonb_build_object('processed_at', now())) as archived;
  return changed;
end
$function$;
GRANT EXECUTE ON FUNCTION dlq_undo_events(bigint,bigint,bigint[]) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_undo_events(bigint,bigint,bigint[]) TO dlq_replay;

CREATE OR REPLACE FUNCTION public.dlq_why_not_now(event dlq_events, rules json)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN ((event).status = 'PROCESSING'::text) THEN 'leased'::text WHEN ((event).status <> 'PENDING'::text) THEN 'closed'::text WHEN ((event).retry_after > now()) THEN 'later'::text WHEN (GREATEST((event).created_at, (event).reopened_at) < (now() - make_interval(secs => ((rules ->> 'maxAgeSeconds'::text))::double precision))) THEN 'expired'::text WHEN ((((event).reopened_at IS NULL) OR ((event).reopened_at < (event).last_failure_at)) AND ((event).failure_kind IS NULL) AND ((event).error_class ~ (rules ->> 'permanentClass'::text))) THEN 'permanent'::text ELSE NULL::text END;
COMMENT ON FUNCTION dlq_why_not_now(dlq_events,json) IS 'Why the schedule does not send an event now, apart from what holds its target; null if it does.';
GRANT EXECUTE ON FUNCTION dlq_why_not_now(dlq_events,json) TO dlq_console;
GRANT EXECUTE ON FUNCTION dlq_why_not_now(dlq_events,json) TO dlq_maintain;
GRANT EXECUTE ON FUNCTION dlq_why_not_now(dlq_events,json) TO dlq_readonly;
GRANT EXECUTE ON FUNCTION dlq_why_not_now(dlq_events,json) TO dlq_replay;
GRANT EXECUTE ON FUNCTION dlq_why_not_now(dlq_events,json) TO dlq_retry;
