-- As in shared/message/credential-headers.ts, and those of hops as in shared/message/failure-headers.ts.
create domain dlq_credential_header as text check (
  regexp_replace(lower(value collate "C"), '[^a-z0-9]', '-', 'g') ~ (
  '(authorization|passw(or)?d|passphrase|passcode|secret|credentials?|cookie2?|session-?(id|key))$|'
  '^(?!x-goog-channel-|(.*-)?idempotency-token$).*(token|jwt|bearer|assertion|oidc-data)$|'
  '(api|access|private|secret|signing|encryption(-customer)?|account|application|functions)-?keys?$|'
  '(subscription|shared|service)-?keys?$|(^|-)((hmac|master|license|auth)-?keys?|pwd|otp)$|'
  '^(x-)?auth(entication)?$|(^|-)(csrf|xsrf)(-|$)'));
create domain dlq_passing_header as text check (value ~* (
  '^(traceparent|tracestate|baggage|b3|date|via|user-agent|from|forwarded|x-forwarded-.*|x-real-ip|'
  'x-request-id|x-b3-.*|x-cloud-trace-context|x-amzn-trace-id|x-datadog-.*|sentry-trace|uber-trace-id|'
  'grpc-trace-bin|cf-.*|x-envoy-.*|dlo-.*|googclient_.*)$'));

-- Captures a failure inside a transaction of the application, on the same database: the failure is stored if
-- and only if that transaction commits. Pass arguments by name; only event_type and payload are required.
-- Returns the event's id. Runs as the owner: a login needs the right to execute it alone (role dlq_reporter).
--
-- It is a report: of the message with this event_id, else of the record at this position in a Kafka topic,
-- else of an event of its own. dlo-event-id and dlo-attempt of a redelivery are read from the headers; those
-- of hops are no part of the message. metadata.ignored keeps unusable values and a payload that contradicts
-- its body. Credentials are not stored, as in shared/capture/report.ts: metadata.withheld lists headers.
create function dlq_capture(
  event_type text, payload jsonb, error_reason text default null, error_stacktrace text default null,
  error_class text default null, event_id text default null, body bytea default null,
  content_type text default null, headers jsonb default '{}', source_kind text default 'sql',
  source_topic text default null, source_partition integer default null, source_offset bigint default null,
  source_key text default null, source_subscription text default null, consumer_group text default null,
  source_attempts integer default null, trace_id text default null, metadata jsonb default null,
  occurred_at timestamptz default null, source_key_bytes bytea default null,
  error_kind text default null, retry_after timestamptz default null,
  max_retries integer default null, priority integer default null, failed_at timestamptz default null)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
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
$$;

comment on function dlq_capture is 'Captures a failure within the transaction of its caller. Returns the id.';
