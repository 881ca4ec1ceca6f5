-- Captures: what one says, and the table of those that came after the first of their event.

-- One capture. Its message is body_length bytes of the bodies, the first at body_start, from 1 on; `content`
-- is its text if jsonb cannot hold that of the bytes. With `printed_as` these are not stored: the payload,
-- printed so, restores them. payload_encoding `none`: a report without content. `redelivery` is the
-- dlo-event-id of a redelivery, <id>.<token>, and `attempt` its dlo-attempt. `origin` is null for a message,
-- `report` for a consumer's word, which may reprint the message, `bridge` for a copy with a key or headers
-- that a bridge may have changed. `passing` names the headers that a hop, client or failure added. Domains
-- check the values that an event cannot have: an error of a constraint of dlq_events would show its row.
create domain dlq_said_count as integer check (value >= 0);
create domain dlq_said_encoding as text not null check (value in ('json', 'text', 'base64', 'none'));
create domain dlq_said_headers as jsonb check (jsonb_typeof(value) = 'object');
create domain dlq_said_kind as text check (value in ('transient', 'permanent'));
create domain dlq_said_origin as text check (value in ('report', 'bridge'));
create domain dlq_said_text as text not null;
create domain dlq_said_time as timestamptz check (isfinite(value));

create type dlq_captured as (
  message_key dlq_said_text, consumer text, redelivery text, attempt dlq_said_count, delivery_id text,
  origin dlq_said_origin, publication text, failed_at dlq_said_time, event_type dlq_said_text, event_id text,
  body_start integer, body_length integer, payload_encoding dlq_said_encoding, printed_as text, content text,
  content_type text, headers dlq_said_headers, passing text[], error_reason text, error_stacktrace text,
  error_class text, source_kind dlq_said_text, source_topic text, source_partition integer,
  source_offset bigint, source_key text, source_key_bytes text, source_subscription text, consumer_group text,
  source_attempts dlq_said_count, trace_id text, occurred_at dlq_said_time, metadata jsonb, fingerprint text,
  crowd text, error_kind dlq_said_kind, retry_after timestamptz, max_retries dlq_said_count,
  priority smallint, id_hashes integer[]
);

-- The event row is its first capture. Of one event the first 50 and the latest 50 rows are kept.
create table dlq_captures (
  id          bigint generated always as identity primary key,
  event_id    bigint not null,
  captured_at timestamptz not null default now(),
  -- Which failure of the event it reports, from 1, and whether it was the first to report it.
  failure     integer not null,
  is_first    boolean not null default false,
  is_report   boolean not null default false,
  -- It has the content of the event, or its redelivery token. Without, any caller may have sent it.
  is_proven   boolean not null default true,
  -- The content or the reason that another replaced; it reports no failure.
  is_original boolean not null default false,
  -- The id of this arrival, by which its transport or its sender repeats it.
  delivery_id text,
  -- The number of our delivery that failed, or `<ms since 1970>@<coordinates>`, of which either may be empty.
  attempt     integer,
  publication text,
  -- When it failed, as reported: at the consumer, or when the broker gave up.
  failed_at   timestamptz,
  consumer    text,
  -- All that it said, by the names of columns of dlq_events, and its bytes if they are not the event's.
  facts       jsonb not null,
  body        bytea
);

-- An arrival is recorded once, whatever the length of its id, and a failure of a delivery is counted once.
create unique index dlq_captures_delivery on dlq_captures (event_id, md5(delivery_id))
  where delivery_id is not null;
create unique index dlq_captures_attempt on dlq_captures (event_id, attempt)
  where is_first and attempt is not null;
create index dlq_captures_event on dlq_captures (event_id, id);

comment on table dlq_captures is 'Captures of an event after its first: reports, copies, recurrences.';

create view dlq_all_captures with (security_invoker) as
select
  event.id as event_id, null::bigint as id, 1 as failure, created_at as told_at,
  coalesce(arrival ->> 'origin' = 'report', arrival is null and is_exact is false) as is_report,
  true as is_proven, arrival ->> 'delivery_id' as delivery_id,
  null::integer as attempt, arrival ->> 'publication' as publication, arrival ->> 'consumer' as consumer
from dlq_events as event
union all
select
  event_id, id, failure, least(failed_at, captured_at), is_report, is_proven, delivery_id, attempt,
  publication, consumer
from dlq_captures where not is_original;

comment on view dlq_all_captures is 'Captures of events, of which each event itself is the first.';
