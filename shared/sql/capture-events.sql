-- Adds events, or completes those that are known already: a later capture brings facts that were missing and
-- erases none. Returns one row for each capture, the new events marked.
--
-- An event that was delivered, or is just being delivered, and is captured again has come back: it failed once more,
-- and after :maxReturns such failures it is left to people. Two kinds of capture are no return but the same news
-- twice: one by the same carrier_id, and one whose identity a broker gives anew with each publication.
with captures as (
  select *
  from json_to_recordset(:captures) as capture (
    event_key text, redelivered_id bigint, carrier_id text, event_type text, event_id text, payload text,
    payload_encoding text, body text, content_type text, headers jsonb, error_reason text, error_stacktrace text,
    error_class text, source_kind text, source_topic text, source_partition integer, source_offset bigint,
    source_key text, source_subscription text, consumer_group text, source_attempts integer, trace_id text,
    occurred_at timestamptz, metadata jsonb, fingerprint text
  )
),
identified as (
  -- The id that we gave a redelivery names the row it came from, if the message is still the same: a forged or
  -- foreign id matches nothing, and the capture is an event of its own.
  select coalesce(known.event_key, captures.event_key) as known_key, known.id is not null as is_redelivered, captures.*
  from captures
  left join dlq_events as known
    on known.id = captures.redelivered_id
    and (known.event_key = captures.event_key or known.body = decode(captures.body, 'base64'))
),
stored as (
  insert into dlq_events as event (
    event_key, carrier_id, event_type, event_id, payload, payload_encoding, body, content_type, headers,
    error_reason, error_stacktrace, error_class,
    source_kind, source_topic, source_partition, source_offset, source_key, source_subscription, consumer_group,
    source_attempts, trace_id, occurred_at, metadata, fingerprint
  )
  -- In order of key, so that two statements with the same events cannot wait for each other.
  select distinct on (known_key)
    known_key, carrier_id, event_type, event_id, payload::jsonb, payload_encoding, decode(body, 'base64'), content_type,
    headers, coalesce(error_reason, 'not reported'), error_stacktrace, error_class,
    source_kind, source_topic, source_partition, source_offset, source_key, source_subscription, consumer_group,
    source_attempts, trace_id, occurred_at, metadata, fingerprint
  from identified
  order by known_key
  on conflict (event_key) do update
  set (status, failure_count, retry_after, processed_at) = (
        select
          case
            when not has_returned or event.status = 'PROCESSING' then event.status
            when event.failure_count >= :maxReturns::int then 'FAILED_PERMANENTLY'
            else 'PENDING'
          end,
          event.failure_count + has_returned::int,
          case when has_returned then now() else event.retry_after end,
          case
            when not has_returned or event.status = 'PROCESSING' then event.processed_at
            when event.failure_count >= :maxReturns::int then now()
          end
        from (
          select event.status in ('SUCCEEDED', 'PROCESSING')
            and (excluded.carrier_id is null or excluded.carrier_id is distinct from event.carrier_id)
            and (event.event_key !~ '^(pubsub|pubsub-dl|sns|sqs|cloudtasks|pulsar|lambda):'
              or exists (select from identified where known_key = event.event_key and is_redelivered)) as has_returned
        ) as news
      ),
      carrier_id = coalesce(excluded.carrier_id, event.carrier_id),
      -- Not simply now(): a transaction that began before the other committed looks at an older clock.
      last_failure_at = greatest(event.last_failure_at, now()),
      error_reason = case event.error_reason
        when 'not reported' then excluded.error_reason
        else event.error_reason
      end,
      error_stacktrace = coalesce(event.error_stacktrace, excluded.error_stacktrace),
      error_class = coalesce(event.error_class, excluded.error_class),
      fingerprint = case
        -- What is told about the failure is what was told before.
        when (event.error_reason <> 'not reported' or excluded.error_reason = 'not reported')
          and (event.error_class is not null or excluded.error_class is null)
          and (event.error_stacktrace is not null or excluded.error_stacktrace is null) then event.fingerprint
        -- All of it is new. Where only some is, it is taken later of the whole.
        when event.error_reason = 'not reported' and event.error_class is null and event.error_stacktrace is null
          then excluded.fingerprint
      end,
      source_topic = coalesce(event.source_topic, excluded.source_topic),
      source_partition = coalesce(event.source_partition, excluded.source_partition),
      source_offset = coalesce(event.source_offset, excluded.source_offset),
      source_key = coalesce(event.source_key, excluded.source_key),
      source_subscription = coalesce(event.source_subscription, excluded.source_subscription),
      consumer_group = coalesce(event.consumer_group, excluded.consumer_group),
      source_attempts = greatest(event.source_attempts, excluded.source_attempts),
      trace_id = coalesce(event.trace_id, excluded.trace_id),
      occurred_at = coalesce(event.occurred_at, excluded.occurred_at),
      metadata = coalesce(excluded.metadata || event.metadata, event.metadata, excluded.metadata),
      updated_at = now()
  returning id, event_key, xmax = 0 as is_new
)
select stored.id, identified.event_key, stored.is_new
from identified
join stored on stored.event_key = identified.known_key;
