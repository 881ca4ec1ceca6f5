-- Captures: what one is, and the small rules by which captures are compared. The functions of 003 and 004 use them.

-- One capture. Its message is in the bodies of the request, from the byte body_start (1 is the first) for body_length bytes;
-- `content` is its JSON if jsonb cannot hold that of the bytes. With `printed_as` they are not stored: they are restored
-- from the payload, which is printed so, or `payload`: as it is. `redelivery` is the dlo-event-id of a redelivery,
-- <id>.<token>, `retry_after` a time, or seconds from the capture, `joins_key` the key of a capture of the same call that names no
-- consumer and may be of the same event. Usual values are left out: content_rank 4, is_type_told true, the other flags false.
create type dlq_captured as (
  event_key text, joins_key text, is_key_per_delivery boolean, redelivery text, delivery_id text, is_delivery_guessed boolean,
  event_type text, is_type_told boolean, event_id text, body_start integer, body_length integer, payload_encoding text,
  printed_as text, content text, content_rank smallint, content_type text, headers jsonb, error_reason text, error_stacktrace text, error_class text,
  source_kind text, source_topic text, source_partition integer, source_offset bigint, source_key text,
  source_key_bytes text, source_subscription text, consumer_group text, source_attempts integer, trace_id text,
  occurred_at timestamptz, metadata jsonb, fingerprint text, error_kind text, retry_after text, max_retries integer,
  priority smallint
);

comment on type dlq_captured is 'One capture, as dlq_capture_events reads it from JSON.';

-- Stable, not immutable: a function is inlined only if all that it calls is at least as constant as itself.
create function dlq_message_payload(payload_encoding text, bytes bytea, content text) returns jsonb
language sql stable parallel safe
return case payload_encoding
  when 'json' then coalesce(content, convert_from(bytes, 'UTF8'))::jsonb
  when 'text' then to_jsonb(convert_from(bytes, 'UTF8'))
  when 'base64' then to_jsonb(translate(encode(bytes, 'base64'), E'\n', ''))
  else 'null'
end;

comment on function dlq_message_payload is 'The queryable view of a message.';

-- Null for the JSON of plain SQL: PostgreSQL prints it first.
create function dlq_message_bytes(payload jsonb, payload_encoding text, body bytea, printed_as text) returns integer
language sql immutable parallel safe
return case
  when body is not null then octet_length(body)
  when printed_as <> 'payload' then split_part(printed_as, ' ', 1)::integer
  when payload_encoding = 'text' then octet_length(payload #>> '{}')
  when payload_encoding = 'base64'
    then length(payload #>> '{}') / 4 * 3 - (length(payload #>> '{}') - length(rtrim(payload #>> '{}', '=')))
end;

comment on function dlq_message_bytes is 'The number of bytes of a message, or null.';

-- Of the values of messages that are printed, no two that differ in their digits are equal.
create function dlq_equals_body(
  bytes bytea, received_as text, received jsonb, body bytea, printed_as text, payload jsonb, payload_encoding text
) returns boolean language sql stable parallel safe
return case
  when body is not null then bytes = body
  when printed_as is not null then coalesce(received_as = printed_as and received = payload, false)
  when payload_encoding = 'base64' then coalesce(translate(encode(bytes, 'base64'), E'\n', '') = payload #>> '{}', false)
  when payload_encoding = 'text' then coalesce(bytes = convert_to(payload #>> '{}', 'UTF8'), false)
  else bytes = convert_to(payload::text, 'UTF8')
end;

comment on function dlq_equals_body is 'Whether a capture has the bytes of an event.';

create function dlq_retry_time(retry_after text) returns timestamptz
language sql stable parallel safe
return case
  when retry_after ~ '^[\d.]+$' then now() + make_interval(secs => retry_after::double precision)
  when retry_after is not null then greatest(retry_after::timestamptz, now())
end;

comment on function dlq_retry_time is 'The time at which a consumer wants a retry, not before now.';

-- The arguments of dlq_capture() as facts of a capture: none is an error.
create function dlq_decision(
  error_kind text, retry_after timestamptz, max_retries integer, priority integer, metadata jsonb
) returns jsonb language sql stable parallel safe
return (
  select jsonb_build_object('error_kind', kind, 'retry_after', retry_time, 'max_retries', retries, 'priority', rank, 'metadata',
    case
      when num_nonnulls(decided, ignored) = 0 then metadata
      else coalesce(metadata, '{}') || jsonb_strip_nulls(jsonb_build_object(
        'decided', decided, 'ignored', coalesce(metadata -> 'ignored', '{}') || ignored))
    end)
  from (
    select
      case when error_kind in ('transient', 'permanent') then error_kind end as kind,
      case when isfinite(retry_after) and retry_after <= now() + interval '1 year' then to_json(retry_after) end as retry_time,
      case when max_retries >= 0 then max_retries end as retries,
      case when priority between -32768 and 32767 then priority end as rank
  ) as usable
  cross join lateral (
    select
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'kind', kind, 'retryAfter', retry_time, 'maxRetries', retries, 'priority', rank)), '{}') as decided,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'error_kind', case when kind is null then nullif(error_kind, '') end,
        'retry_after', case when retry_time is null then retry_after end,
        'max_retries', case when retries is null then max_retries end,
        'priority', case when rank is null then priority end)), '{}') as ignored
  ) as named
);

comment on function dlq_decision is 'How an application decided to retry, as facts of its capture.';

-- A worker that delivers the event keeps it. `is_final`: the consumer wants no retry. `is_spent`: no recurrence is left.
create function dlq_next_status(status text, has_recurred boolean, decides boolean, is_final boolean, is_spent boolean) returns text
language sql immutable parallel safe
return case
  when status = 'PROCESSING' or not (has_recurred or decides and status = 'PENDING') then status
  when is_final or has_recurred and is_spent then 'FAILED_PERMANENTLY'
  else 'PENDING'
end;

comment on function dlq_next_status is 'The status of an event after a later capture.';

-- Metadata may be of any form: applications write their own.
create function dlq_without(metadata jsonb, names text[]) returns jsonb
language sql immutable parallel safe
return case when jsonb_typeof(metadata) = 'object' then metadata - names else metadata end;

comment on function dlq_without is 'Metadata without the members of these names.';

-- Key and headers are damaged as those of the copy from which they are. A later decision replaces an earlier one, member by
-- member.
create function dlq_merge_metadata(known jsonb, received jsonb, takes_content boolean, decides boolean, more jsonb) returns jsonb
language sql immutable parallel safe
return nullif(
  coalesce(dlq_without(received, case when takes_content then '{decided}' else array['damaged', 'inexact', 'decided'] end), '{}')
    || coalesce(dlq_without(known, case when takes_content then array['damaged', 'inexact'] else '{}' end), '{}')
    || case
      when decides and jsonb_typeof(received -> 'decided') = 'object'
        then jsonb_build_object('decided', coalesce(known -> 'decided', '{}') || (received -> 'decided'))
      else '{}'
    end || more, '{}');

comment on function dlq_merge_metadata is 'The metadata of an event and of a later capture.';

-- Messages without any id are equal if their contents are, and their times where both have one.
create function dlq_message_time(event_key text, occurred_at timestamptz, metadata jsonb) returns text
language sql stable parallel safe
return case when event_key like 'sha256:%' then coalesce(extract(epoch from occurred_at)::text, metadata ->> 'deadLetteredAt') end;

comment on function dlq_message_time is 'The time that tells messages apart whose key is a digest of their content.';

-- The key of a capture that contradicts the event of its key: with a digest of its content, and at the second contradiction
-- of its type and topic as well. The digest of JSON does not depend on its spelling.
create function dlq_conflict_key(
  event_key text, level integer, payload jsonb, message_time text, event_type text, source_topic text
) returns text language sql stable parallel safe
return event_key || '#' || left(encode(sha256(convert_to(
  payload::text || coalesce(message_time, '')
    || case when level > 1 then quote_literal(event_type) || quote_nullable(source_topic) else '' end, 'UTF8')), 'hex'), 24);

comment on function dlq_conflict_key is 'The key of a capture that contradicts the event of its key.';

-- The consumer at the end of an event key, or null.
create function dlq_key_consumer(event_key text, source_subscription text, consumer_group text) returns text
language sql immutable parallel safe
return case
  when right(event_key, length(source_subscription) + 1) = '@' || source_subscription then source_subscription
  when right(event_key, length(consumer_group) + 1) = '@' || consumer_group then consumer_group
end;

comment on function dlq_key_consumer is 'The consumer at the end of an event key, or null.';

create function dlq_redelivery(id bigint, redelivery_token uuid) returns text
language sql immutable parallel safe
return id::text || '.' || replace(redelivery_token::text, '-', '');

comment on function dlq_redelivery is 'The dlo-event-id of every redelivery of an event: <id>.<token>.';

create function dlq_damaged(metadata jsonb) returns jsonb
language sql immutable parallel safe
return case when jsonb_typeof(metadata -> 'damaged') = 'array' then metadata -> 'damaged' end;

comment on function dlq_damaged is 'The key and headers of a message that a bridge damaged, or null.';

-- The facts that a fingerprint is computed from.
create function dlq_failure_facts(
  event_type text, source_subscription text, consumer_group text, error_reason text, error_class text, error_stacktrace text
) returns text[] language sql immutable parallel safe
return array[
  event_type, coalesce(source_subscription, consumer_group), coalesce(error_reason, 'not reported'), error_class, error_stacktrace
];

comment on function dlq_failure_facts is 'The facts that the fingerprint of an event is computed from.';

create function dlq_shown_facts(
  event_type text, event_id text, content_type text, headers jsonb, error_reason text, error_class text,
  error_stacktrace text, source_kind text, source_topic text, source_partition integer, source_offset bigint,
  source_key text, trace_id text, occurred_at timestamptz, metadata jsonb, payload jsonb, body bytea, printed_as text
) returns jsonb language sql stable parallel safe
return jsonb_build_object(
  'eventType', event_type, 'eventId', event_id, 'contentType', content_type, 'headers', headers,
  'errorReason', error_reason, 'errorClass', error_class, 'errorStacktrace', error_stacktrace, 'sourceKind', source_kind,
  'sourceTopic', source_topic, 'sourcePartition', source_partition, 'sourceOffset', source_offset,
  'sourceKey', source_key, 'traceId', trace_id, 'occurredAt', occurred_at, 'metadata', metadata, 'payload', payload,
  'bodyBase64', encode(body, 'base64'), 'printedAs', printed_as);

comment on function dlq_shown_facts is 'The facts by which two captures of one event may differ.';

-- The facts of one capture that the row of its event does not show, or null.
create function dlq_facts_not_shown(facts jsonb, shown jsonb) returns jsonb
language sql immutable parallel safe
return (
  select jsonb_object_agg(key, value)
  from jsonb_each(facts)
  where value not in ('null', '{}', '"not reported"', '"unknown"') and value is distinct from shown -> key
);

comment on function dlq_facts_not_shown is 'The facts of one capture that the row of its event does not show.';

create function dlq_add_other_captures(metadata jsonb, before jsonb, received jsonb) returns jsonb
language sql immutable parallel safe
return (
  select case
    when count(facts) = 0 then metadata
    else coalesce(metadata, '{}') || jsonb_build_object('otherCaptures', jsonb_agg(facts order by place))
  end
  from (
    select facts, min(place) as place
    from (
      select value as facts, ordinality as place
      from jsonb_array_elements(case jsonb_typeof(metadata -> 'otherCaptures')
        when 'array' then metadata -> 'otherCaptures' else '[]' end) with ordinality
      union all values (before, 1000), (received, 1001)
    ) as captures
    -- A source kind alone says nothing that the other facts do not.
    where dlq_without(facts, '{sourceKind}') <> '{}'
    group by facts
    order by place
    limit 20
  ) as captures
);

comment on function dlq_add_other_captures is 'Metadata with the facts in which other captures of the event differ, for up to 20 captures.';
