-- Moves up to $2 rows after id $1 from the adopted table, in order of id. Columns of the same name are copied; all others
-- are kept in metadata, as "adopted". Returns the last id and the number of rows moved.
--
-- Longer than 60 lines because it lists the columns three times, to read, to insert and to find the others.
with batch as materialized (
  select old.id as old_id, old_row, columns.*
  from (
    select * from dlq_events_adopted where id > $1 order by id limit $2 for update
  ) as old
  cross join lateral to_jsonb(old) as old_row
  cross join lateral jsonb_populate_record(
    null::dlq_events,
    -- Names that the articles use for a column or a status of this schema.
    jsonb_build_object('retry_after', old_row -> 'next_retry_at') || old_row
      || jsonb_build_object('status', case upper(coalesce(old_row ->> 'status', 'PENDING'))
        when 'RETRYING' then 'PENDING'
        when 'PERMANENT_FAILED' then 'FAILED_PERMANENTLY'
        else upper(coalesce(old_row ->> 'status', 'PENDING'))
      end)
  ) as columns
),
moved as (
  insert into dlq_events (
    id, event_type, payload, error_reason, error_stacktrace, created_at, status, retry_count, retry_after, updated_at,
    processed_at, last_failure_at, failure_count, priority, max_retries, event_key, event_id, source_kind, source_topic,
    source_partition, source_offset, source_key, consumer_group, trace_id, occurred_at, first_failure_at, error_class,
    metadata
  )
  select
    id, event_type, coalesce(payload, 'null'), coalesce(error_reason, 'not reported'), error_stacktrace,
    coalesce(created_at, now()), status, greatest(retry_count, 0), coalesce(retry_after, now()), coalesce(updated_at, now()),
    case when status in ('SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED') then coalesce(processed_at, updated_at, now()) end,
    greatest(first_failure_at, last_failure_at, created_at), greatest(failure_count, 1), coalesce(priority, 0), case when max_retries >= 0 then max_retries end,
    'adopted:' || id, event_id, coalesce(source_kind, 'sql'), source_topic,
    source_partition, source_offset, source_key, consumer_group, trace_id, occurred_at,
    coalesce(first_failure_at, created_at, now()), error_class,
    case when rest = '{}' then metadata else coalesce(metadata, '{}') || jsonb_build_object('adopted', rest) end
  from batch
  cross join lateral (
    select old_row - array[
      'id', 'event_type', 'payload', 'error_reason', 'error_stacktrace', 'created_at', 'status', 'retry_count',
      'retry_after', 'updated_at', 'processed_at', 'last_failure_at', 'failure_count', 'priority', 'max_retries', 'event_id',
      'source_kind', 'source_topic', 'source_partition', 'source_offset', 'source_key', 'consumer_group', 'trace_id',
      'occurred_at', 'first_failure_at', 'error_class', 'metadata', 'next_retry_at'
    ] as rest
  ) as leftover
),
deleted as (
  delete from dlq_events_adopted where id = any (array(select old_id from batch))
)
select max(old_id) as "lastId", count(*)::int as events from batch;
