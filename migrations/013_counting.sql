-- Counting: triggers on dlq_events append the changes of each statement to the counts of 012_counts.sql.

-- Each trigger counts once per statement on dlq_events, plain SQL included. They run as the owner: a role
-- that may change events needs no right to the counts.

-- Continues the ids of events behind one that was not taken from their sequence.
create function dlq_skip_ids(last bigint) returns void language sql security definer
set search_path = pg_catalog, pg_temp as $$
  select setval('public.dlq_events_id_seq', last) from public.dlq_events_id_seq where last > last_value
$$;

-- A capture counts in its hour. What returns from the archive was counted then, and an edit when its original
-- was captured: they are counted as events of now, not as captures.
create function dlq_count_captured() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('dlo.writes_complete_rows', true) is distinct from 'on' then
    perform public.dlq_skip_ids((select max(id) from captured));
  end if;
  insert into public.dlq_count_deltas
  select
    date_trunc('hour', created_at, 'UTC'), event_type, coalesce(fingerprint, ''), lease_expires_at,
    count(*) filter (where status = 'PENDING'), count(*) filter (where status = 'PROCESSING'),
    count(*) filter (where status = 'SUCCEEDED'), count(*) filter (where status = 'FAILED_PERMANENTLY'),
    count(*) filter (where status = 'DISCARDED'), count(*) filter (where is_new), 0, 0, 0,
    count(*) filter (where status = 'FAILED_PERMANENTLY' and is_new), 0, max(id), min(created_at),
    max(greatest(last_failure_at, created_at)) filter (where edited_from is null),
    count(*) filter (where conflicts_with is not null and is_new)
  from captured
  cross join lateral (select restored_at is null and edited_from is null as is_new) as counted
  group by 1, 2, 3, 4;
  return null;
end
$$;

-- Each change counts twice: minus one in the old state, plus one in the new. If the reason of its latest
-- failure is known better, and so its error group, that failure moves along, a capture or a recurrence, in
-- its hour, under the type that it had: the counters of a type never decrease. A recurrence for another
-- reason counts in its own group, and as no failed retry.
--
-- A replay may return an event to the state it came from, with its old processed_at: nothing was delivered,
-- failed or discarded again. Compared with this transaction, too: the clock may have been set back since the
-- event was claimed. An event that its edit replaces, captured at this moment, is not discarded.
--
-- Nested loops are off: the plan is made for the first statement of a connection and kept for statements of
-- any size.
create function dlq_count_changed() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
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
      -- The undo of a reopening returns the retries that it began anew.
      coalesce(sum(
        greatest(became.retry_count - was.retry_count - greatest(became.failure_count - was.failure_count, 0), 0)
      ) filter (where became.reopened_at is not distinct from was.reopened_at), 0) as retry_failures,
      count(*) filter (
        where became.status <> was.status and became.processed_at >= least(was.updated_at, now())
          and (became.status <> 'DISCARDED' or not exists (
            select from public.dlq_events
            where edited_from = coalesce(became.edited_from, became.id) and created_at = became.processed_at))
      ) as entered,
      max(became.last_failure_at) as last_seen_at,
      case
        when was.fingerprint is distinct from became.fingerprint and was.failure_count = became.failure_count
          then date_trunc('hour',
            case when has_recurred then became.last_failure_at else became.created_at end, 'UTC')
      end as failed, has_recurred,
      max(became.id) as sample_event_id, min(became.created_at) as first_seen_at
    from was
    join became using (id)
    cross join lateral (select became.failure_count > 1 as has_recurred) as latest
    where was.status <> became.status or was.lease_expires_at is distinct from became.lease_expires_at
      or was.retry_count <> became.retry_count or was.failure_count <> became.failure_count
      or was.fingerprint is distinct from became.fingerprint or was.event_type <> became.event_type
    group by 1, 2, 3, 4, 5, 6, 7, 8, failed, has_recurred
  )
  select
    hour, type, side.fingerprint, side.lease,
    coalesce(sum(change) filter (where side.status = 'PENDING'), 0),
    coalesce(sum(change) filter (where side.status = 'PROCESSING'), 0),
    coalesce(sum(change) filter (where side.status = 'SUCCEEDED'), 0),
    coalesce(sum(change) filter (where side.status = 'FAILED_PERMANENTLY'), 0),
    coalesce(sum(change) filter (where side.status = 'DISCARDED'), 0),
    coalesce(sum(failures) filter (where not has_recurred), 0),
    coalesce(sum(recurrences) filter (where is_new), 0) + coalesce(sum(failures) filter (where has_recurred), 0),
    coalesce(sum(retry_failures) filter (where is_new), 0),
    coalesce(sum(entered) filter (where is_new and side.status = 'SUCCEEDED'), 0),
    coalesce(sum(entered) filter (where is_new and side.status = 'FAILED_PERMANENTLY'), 0),
    coalesce(sum(entered) filter (where is_new and side.status = 'DISCARDED'), 0),
    max(sample_event_id) filter (where failures > 0 or is_moved),
    min(case when failures > 0 then first_seen_at else last_seen_at end) filter (where failures > 0 or is_moved),
    greatest(max(last_seen_at) filter (where is_new and recurrences > 0 or failures > 0 or is_moved),
      -- A retry that failed is a failure alike, which a resolved error group does not survive.
      case when bool_or(is_new and retry_failures > 0) then now() end)
  from moves
  cross join lateral (values
    (date_trunc('hour', now(), 'UTC'), event_type, moves.fingerprint, lease, moves.status, events, 0, true),
    (date_trunc('hour', now(), 'UTC'), old_type, old_fingerprint, old_lease, old_status, -events, 0, false),
    (failed, old_type, moves.fingerprint, null, null, 0, events, false),
    (failed, old_type, old_fingerprint, null, null, 0, -events, false)
  ) as side (hour, type, fingerprint, lease, status, change, failures, is_new)
  cross join lateral (select is_new and moves.fingerprint <> old_fingerprint as is_moved) as grouping
  where hour is not null
  group by 1, 2, 3, 4;
  return null;
end
$$;

-- Deletes what belongs to events that plain SQL deleted: their captures and attempts. Replays skip them as
-- gone, also if another event gets their id.
create function dlq_purge_records(ids bigint[]) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  delete from public.dlq_captures where event_id = any (ids);
  delete from public.dlq_attempts where event_id = any (ids);
  update public.dlq_run_events
  set outcome = 'skipped', reason = 'gone', settled_at = now(), is_leased = false,
      processed_at = null
  where outcome = 'waiting' and event_id = any (ids)
    and run_id = any (array(select id from public.dlq_runs where ended_at is null));
end
$$;

-- Archiving deletes events: the current counts decrease, what happened stays counted.
create function dlq_count_removed() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'TRUNCATE' then
    perform public.dlq_recount();
    -- RESTART IDENTITY began the ids again: those that the archive, a replay or the audit names are not used
    -- twice.
    perform public.dlq_skip_ids(greatest(
      (select max(id) from public.dlq_events_archive), (select max(event_id) from public.dlq_run_events),
      (select max(event_id) from public.dlq_audit_events), (select max(event_id) from public.dlq_audit)));
    perform public.dlq_purge_records(array(
      select event_id
      from (
        select event_id from public.dlq_captures union select event_id from public.dlq_attempts
        union select event_id from public.dlq_run_events where outcome = 'waiting'
      ) as record
      where event_id not in (select id from public.dlq_events_archive)));
    return null;
  end if;
  if current_setting('dlo.writes_complete_rows', true) is distinct from 'on' then
    perform public.dlq_purge_records(array(
      select id from removed where id not in (select id from public.dlq_events_archive where id in (select id from removed))));
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
$$;

create trigger dlq_events_count_captured after insert on dlq_events
referencing new table as captured for each statement execute function dlq_count_captured();

create trigger dlq_events_count_changed after update on dlq_events
referencing old table as was new table as became for each statement execute function dlq_count_changed();

create trigger dlq_events_count_removed after delete on dlq_events
referencing old table as removed for each statement execute function dlq_count_removed();

create trigger dlq_events_count_truncated after truncate on dlq_events
for each statement execute function dlq_count_removed();

-- Corrects the current counts after changes that no trigger saw: events older than the triggers, a restore
-- with triggers disabled. Appends the differences like any other change. One snapshot has the events and
-- their counts, so that no statement has to stop; the lock admits one recount at a time, since two would
-- correct the same difference. Not an advisory lock: any login could hold that.
create function dlq_recount() returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
$$;

comment on function dlq_recount is 'Corrects the current counts by reading all events. Needed only after changes that bypassed the triggers.';

-- Locks the aggregation of counts until the end of the transaction. Returns false if another session holds
-- the lock. Not an advisory lock: any login could hold that.
create function dlq_begin_aggregation() returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  lock table public.dlq_counts_hourly in share update exclusive mode nowait;
  return true;
exception when lock_not_available then
  return false;
end
$$;

comment on function dlq_begin_aggregation is 'Locks the aggregation of counts; false if another session holds the lock.';

-- Sends one notification on the channel dlq_events for each statement, with its counts. Only in sessions with
-- `SET dlo.notify = on`: commits that notify wait for one another.
create function dlq_notify() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
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
$$;

create trigger dlq_count_deltas_notify after insert on dlq_count_deltas
referencing new table as counted for each statement when (current_setting('dlo.notify', true) = 'on')
execute function dlq_notify();
