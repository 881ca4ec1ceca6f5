-- The months of the archive. Making and dropping a partition takes the owner of the schema: these functions lend that
-- right to maintain, for this one table and nothing else. Months are those of UTC, whatever a session's zone is.

-- Makes the partitions from the month of the oldest event, at most five years back, to :ahead months from now, and moves in what the
-- default partition kept for them. Any number may be called at once. Returns the names of the new ones.
create function dlq_create_archive_partitions(ahead integer) returns setof text
language plpgsql security definer set search_path from current set timezone = 'UTC' as $$
declare
  starts_at timestamptz;
  ends_at timestamptz;
  partition text;
begin
  perform pg_advisory_xact_lock(hashtextextended('dlq_events_archive', 0));
  -- The first event is as good as always the oldest, and min(created_at) would read the whole table. What is older still goes to
  -- the default partition, and on from there the next time.
  select date_trunc('month', greatest(least(now(), min(oldest)), now() - interval '5 years')) into starts_at
  from (
    (select created_at as oldest from dlq_events order by id limit 1)
    union all
    select min(created_at) from dlq_events_archive_default
  ) as events;
  while starts_at <= now() + make_interval(months => ahead) loop
    ends_at := starts_at + interval '1 month';
    partition := 'dlq_events_archive_' || to_char(starts_at, 'YYYY_MM');
    if to_regclass(partition) is null then
      execute format('create table %I (like dlq_events_archive)', partition);
      execute format(
        'with moved as (delete from dlq_events_archive_default where created_at >= $1 and created_at < $2 returning *)
         insert into %I select * from moved', partition) using starts_at, ends_at;
      execute format(
        'alter table dlq_events_archive attach partition %I for values from (%L) to (%L)', partition, starts_at, ends_at);
      return next partition;
    end if;
    starts_at := ends_at;
  end loop;
end
$$;

comment on function dlq_create_archive_partitions is 'Makes the monthly partitions of the archive, some of them ahead.';

-- Takes a month out of the archive. Where its caller knows how many events it has, because they were exported, it has to have
-- as many still: one that came meanwhile would be gone unseen. Gives up rather than keep others waiting behind its lock: the next
-- call tries again. What was taken out is left to dlq_forget_dropped_events.
create function dlq_drop_archive_partition(month date, events bigint) returns boolean
language plpgsql security definer set search_path from current set lock_timeout = '3s' as $$
declare
  partition regclass := to_regclass('dlq_events_archive_' || to_char(month, 'YYYY_MM'));
  found bigint;
begin
  if partition is null then
    return false;
  end if;
  lock table only dlq_events_archive;
  if events is not null then
    execute format('select count(*) from %s', partition) into found;
    if found <> events then
      return false;
    end if;
  end if;
  execute format('alter table dlq_events_archive detach partition %s', partition);
  execute format('alter table %s rename to %I', partition, 'dlq_events_dropped_' || to_char(month, 'YYYY_MM'));
  return true;
end
$$;

comment on function dlq_drop_archive_partition is 'Takes one month out of the archive for good.';

-- An attempt has no meaning without its event. Deletes those of a page of events of a month that was taken out, and then, once
-- there is no further page, the month. Returns the last event looked at, 0 after a month, null when nothing is left: to be killed
-- midway costs nothing.
create function dlq_forget_dropped_events(after bigint, page integer) returns bigint
language plpgsql security definer set search_path from current as $$
declare
  dropped regclass;
  ids bigint[];
begin
  select oid into dropped
  from pg_class
  where relname ~ '^dlq_events_dropped_\d{4}_\d{2}$'
    and relnamespace = (select relnamespace from pg_class where oid = 'dlq_events_archive'::regclass)
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
  delete from dlq_attempts where event_id = any (ids);
  return ids[cardinality(ids)];
end
$$;

comment on function dlq_forget_dropped_events is 'Forgets what was taken out of the archive, page by page.';

revoke execute on function dlq_create_archive_partitions, dlq_drop_archive_partition, dlq_forget_dropped_events from public;
grant execute on function dlq_create_archive_partitions, dlq_drop_archive_partition, dlq_forget_dropped_events to dlq_maintain;

-- Brings archived events back as they were, but for those that were captured anew meanwhile. Whoever may restore need not be able to
-- write any row it likes.
create function dlq_restore_events(ids bigint[]) returns setof bigint
language sql security definer set search_path from current as $$
  with taken as (
    delete from dlq_events_archive as archived
    where id = any (ids) and not exists (select from dlq_events where event_key = archived.event_key)
    returning *
  )
  insert into dlq_events (
    id, event_type, payload, error_reason, error_stacktrace, created_at, status, retry_count, retry_after, updated_at,
    processed_at, lease_token, lease_expires_at, last_failure_at, failure_count, failure_kind, priority, max_retries,
    event_key, event_id, carrier_id, body, payload_encoding, content_type, headers, source_kind, source_topic,
    source_partition, source_offset, source_key, source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id,
    metadata, occurred_at, first_failure_at, error_class, fingerprint
  )
  select
    id, event_type, payload, error_reason, error_stacktrace, created_at, status, retry_count, retry_after, updated_at,
    processed_at, lease_token, lease_expires_at, last_failure_at, failure_count, failure_kind, priority, max_retries,
    event_key, event_id, carrier_id, body, payload_encoding, content_type, headers, source_kind, source_topic,
    source_partition, source_offset, source_key, source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id,
    metadata, occurred_at, first_failure_at, error_class, fingerprint
  from taken
  returning id
$$;

comment on function dlq_restore_events is 'Moves archived events back, to be looked at, replayed or discarded like any other.';

revoke execute on function dlq_restore_events from public;
grant execute on function dlq_restore_events to dlq_replay;
