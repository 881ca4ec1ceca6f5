-- Counts whatever a statement does to dlq_events, plain SQL by people included: once for each statement, by what its
-- events were and what they became.

-- The triggers run as the owner, so that whoever may change events need not be trusted with the counts.
create function dlq_count_captured() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into dlq_changes
  select
    date_trunc('hour', created_at, 'UTC'), event_type, coalesce(fingerprint, ''), lease_expires_at,
    count(*) filter (where status = 'PENDING'), count(*) filter (where status = 'PROCESSING'),
    count(*) filter (where status = 'SUCCEEDED'), count(*) filter (where status = 'FAILED_PERMANENTLY'),
    count(*) filter (where status = 'DISCARDED'), count(*), 0, 0, 0, 0, 0, max(id), min(created_at),
    greatest(max(last_failure_at), min(created_at))
  from captured
  group by 1, 2, 3, 4;
  return null;
end
$$;

-- Each change counts twice: one less where the event was, one more where it is. A capture moves to the error group that
-- its event moves to, in the hour of that capture. A nested loop is never the way to bring the two sides together: a
-- plan is made for the first statement of a connection and kept for all, however many events they touch.
create function dlq_count_changed() returns trigger language plpgsql security definer
set search_path = public, pg_temp set enable_nestloop = off as $$
begin
  -- A capture of new events alone comes here as well: it might have met known ones.
  if not exists (select from became) then
    return null;
  end if;
  insert into dlq_changes
  with moves as materialized (
    select
      was.event_type as old_type, coalesce(was.fingerprint, '') as old_fingerprint, was.lease_expires_at as old_lease,
      was.status as old_status, became.event_type, coalesce(became.fingerprint, '') as fingerprint,
      became.lease_expires_at, became.status, count(*) as events,
      sum(greatest(became.failure_count - was.failure_count, 0)) as returns,
      sum(greatest(became.retry_count - was.retry_count, 0)) as retry_failures,
      max(became.last_failure_at) as last_seen_at,
      case when was.fingerprint is distinct from became.fingerprint or was.event_type <> became.event_type
        then date_trunc('hour', became.created_at, 'UTC') end as moved_hour,
      max(became.id) as sample_event_id, min(became.created_at) as first_seen_at
    from was
    join became using (id)
    where was.status <> became.status or was.lease_expires_at is distinct from became.lease_expires_at
      or was.retry_count <> became.retry_count or was.failure_count <> became.failure_count
      or was.fingerprint is distinct from became.fingerprint or was.event_type <> became.event_type
    group by 1, 2, 3, 4, 5, 6, 7, 8, moved_hour
  ),
  sides as (
    select
      date_trunc('hour', now(), 'UTC') as hour, event_type, fingerprint, lease_expires_at, status, events, 0 as captures,
      returns, retry_failures, case when status <> old_status then events end as entered, null::bigint as sample_event_id,
      null::timestamptz as first_seen_at, case when returns > 0 then last_seen_at end as last_seen_at
    from moves
    union all
    select date_trunc('hour', now(), 'UTC'), old_type, old_fingerprint, old_lease, old_status, -events, 0, 0, 0, null, null, null, null
    from moves
    union all
    select moved_hour, event_type, fingerprint, null, null, null, events, 0, 0, null, sample_event_id, first_seen_at,
      greatest(last_seen_at, first_seen_at)
    from moves
    where moved_hour is not null
    union all
    select moved_hour, old_type, old_fingerprint, null, null, null, -events, 0, 0, null, null, null, null
    from moves
    where moved_hour is not null
  )
  select
    hour, event_type, fingerprint, lease_expires_at,
    coalesce(sum(events) filter (where status = 'PENDING'), 0),
    coalesce(sum(events) filter (where status = 'PROCESSING'), 0),
    coalesce(sum(events) filter (where status = 'SUCCEEDED'), 0),
    coalesce(sum(events) filter (where status = 'FAILED_PERMANENTLY'), 0),
    coalesce(sum(events) filter (where status = 'DISCARDED'), 0),
    sum(captures), sum(returns), sum(retry_failures),
    coalesce(sum(entered) filter (where status = 'SUCCEEDED'), 0),
    coalesce(sum(entered) filter (where status = 'FAILED_PERMANENTLY'), 0),
    coalesce(sum(entered) filter (where status = 'DISCARDED'), 0),
    max(sample_event_id), min(first_seen_at), max(last_seen_at)
  from sides
  group by 1, 2, 3, 4;
  return null;
end
$$;

-- Closed events go to the archive, and with them their share of the totals; what happened has happened.
create function dlq_count_removed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into dlq_changes
  select
    date_trunc('hour', now(), 'UTC'), event_type, coalesce(fingerprint, ''), lease_expires_at,
    -count(*) filter (where status = 'PENDING'), -count(*) filter (where status = 'PROCESSING'),
    -count(*) filter (where status = 'SUCCEEDED'), -count(*) filter (where status = 'FAILED_PERMANENTLY'),
    -count(*) filter (where status = 'DISCARDED'), 0, 0, 0, 0, 0, 0, null, null, null
  from removed
  group by 1, 2, 3, 4;
  return null;
end
$$;

create trigger dlq_events_count_captured after insert on dlq_events
referencing new table as captured for each statement execute function dlq_count_captured();

create trigger dlq_events_count_changed after update on dlq_events
referencing old table as was new table as became for each statement execute function dlq_count_changed();

create trigger dlq_events_count_removed after delete on dlq_events
referencing old table as removed for each statement execute function dlq_count_removed();

-- Sets right what the triggers could not see: events that were there before them, a restore without them, a TRUNCATE.
-- What the sums lack is appended like any change. One snapshot sees the events and all that was counted of them, so that
-- nobody has to stop working meanwhile; one recount at a time, or the same would be made up for twice.
create function dlq_recount() returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('dlq_recount', 0));
  insert into dlq_changes
  select
    date_trunc('hour', now(), 'UTC'), event_type, fingerprint, lease_expires_at, sum(pending), sum(processing),
    sum(succeeded), sum(failed_permanently), sum(discarded), 0, 0, 0, 0, 0, 0, null, null, null
  from (
    select
      event_type, coalesce(fingerprint, '') as fingerprint, lease_expires_at, (status = 'PENDING')::int as pending,
      (status = 'PROCESSING')::int as processing, (status = 'SUCCEEDED')::int as succeeded,
      (status = 'FAILED_PERMANENTLY')::int as failed_permanently, (status = 'DISCARDED')::int as discarded
    from dlq_events
    union all
    select event_type, fingerprint, null, -pending, -processing, -succeeded, -failed_permanently, -discarded
    from dlq_depths
    union all
    -- Less in the leases, and as much more without one, so that the totals stay as they are.
    select '', '', lease_expires_at, 0, -events, 0, 0, 0 from dlq_lease_ends
    union all
    select '', '', null, 0, events, 0, 0, 0 from dlq_lease_ends
  ) as differences
  group by event_type, fingerprint, lease_expires_at
  having (sum(pending), sum(processing), sum(succeeded), sum(failed_permanently), sum(discarded)) <> (0, 0, 0, 0, 0);
end
$$;

create function dlq_count_truncated() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform dlq_recount();
  return null;
end
$$;

create trigger dlq_events_count_truncated after truncate on dlq_events
for each statement execute function dlq_count_truncated();

revoke execute on function dlq_count_captured, dlq_count_changed, dlq_count_removed, dlq_count_truncated, dlq_recount
from public;

-- For those who want to know at once: one notification on the channel dlq_events for each statement, with what it counted.
-- Only for sessions with `SET dlo.notify = on`: commits that notify wait for one another.
create function dlq_notify() returns trigger language plpgsql as $$
begin
  perform pg_notify('dlq_events', row_to_json(news)::text)
  from (
    select
      sum(captures) as captures, sum(returns) as returns, sum(retry_failures) as retry_failures,
      sum(deliveries) as deliveries, sum(permanent_failures) as permanent_failures, sum(discards) as discards
    from counted
    having count(*) > 0
  ) as news;
  return null;
end
$$;

create trigger dlq_changes_notify after insert on dlq_changes
referencing new table as counted for each statement when (current_setting('dlo.notify', true) = 'on')
execute function dlq_notify();

revoke execute on function dlq_notify from public;
