-- Counting: triggers on dlq_events append the changes of each statement to the counts of 012_counts.sql.

-- Counts once per statement on dlq_events, plain SQL included. Runs as the owner: a role that may change
-- events needs no right to the counts.
--
-- Notifies in sessions with `SET dlo.notify = on`: commits that notify wait for one another.
--
-- Nested loops are off: the plan is made for the first statement of a connection and kept for statements of
-- any size.
--
-- INSERT: a capture counts in its hour. What returns from the archive was counted then, and an edit when its
-- original was captured: they are counted as events of now, not as captures.
--
-- DELETE: archiving deletes events: the current counts decrease, what happened stays counted. What belongs to
-- events that plain SQL deleted goes with them: their captures and attempts. TRUNCATE alike: RESTART IDENTITY
-- began the ids again, and those that the archive, a replay or the audit names are not used twice.
create function dlq_count_events() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
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
      hour, event_type, coalesce(fingerprint, ''),
      change * count(*) filter (where status = 'PENDING'),
      change * count(*) filter (where status = 'PROCESSING'),
      change * count(*) filter (where status = 'SUCCEEDED'),
      change * count(*) filter (where status = 'FAILED_PERMANENTLY'),
      change * count(*) filter (where status = 'DISCARDED'), count(*) filter (where is_new), 0, 0, 0,
      count(*) filter (where status = 'FAILED_PERMANENTLY' and is_new), 0, max(id) filter (where is_insert),
      min(created_at) filter (where is_insert),
      max(greatest(last_failure_at, created_at)) filter (where is_insert and edited_from is null),
      count(*) filter (where conflicts_with is not null and is_new)
    from changed
    cross join lateral (select is_insert and num_nonnulls(reopened_at, edited_from) = 0 as is_new,
      case when is_insert then 1 else -1 end as change,
      date_trunc('hour', case when is_insert then created_at else now() end, 'UTC') as hour) as counted
    group by hour, event_type, coalesce(fingerprint, ''), change;
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
$$;

-- UPDATE: each change counts twice: minus one in the old state, plus one in the new. If the reason of its
-- latest failure is known better, and so its error group, that failure moves along, a capture or a
-- recurrence, in its hour, under the type that it had: the counters of a type never decrease. A recurrence
-- for another reason counts in its own group, and as no failed retry.
--
-- A replay may return an event to the state it came from, with its old processed_at: nothing was delivered,
-- failed or discarded again. Compared with this transaction, too: the clock may have been set back since the
-- event was claimed. An event that its edit replaces, captured at this moment, is not discarded.
create function dlq_count_changes() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
begin
  -- An upsert that only inserts fires this trigger too.
  if not exists (select from became) then
    return null;
  end if;
  with moves as materialized (
    select
      was.event_type as old_type, coalesce(was.fingerprint, '') as old_fingerprint, was.status as old_status,
      became.event_type, coalesce(became.fingerprint, '') as fingerprint, became.status, count(*) as events,
      sum(greatest(became.failure_count - was.failure_count, 0)) as recurrences,
      -- The undo of a reopening returns the retries that it began anew.
      coalesce(sum(greatest(0,
        became.retry_count - was.retry_count - greatest(0, became.failure_count - was.failure_count))
      ) filter (where became.reopened_at is not distinct from was.reopened_at), 0) as retry_failures,
      count(*) filter (
        where became.status <> was.status and became.processed_at >= least(was.updated_at, now())
          and (became.status <> 'DISCARDED' or not exists (
            select from public.dlq_audit_events as edit
            where edit.event_id = became.id and edit_id is not null and edit.at = became.processed_at))
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
    where was.status <> became.status or was.retry_count <> became.retry_count
      or was.failure_count <> became.failure_count
      or was.fingerprint is distinct from became.fingerprint or was.event_type <> became.event_type
    group by 1, 2, 3, 4, 5, 6, failed, has_recurred
  )
  insert into public.dlq_count_deltas
  select
    hour, type, side.fingerprint,
    coalesce(sum(change) filter (where side.status = 'PENDING'), 0),
    coalesce(sum(change) filter (where side.status = 'PROCESSING'), 0),
    coalesce(sum(change) filter (where side.status = 'SUCCEEDED'), 0),
    coalesce(sum(change) filter (where side.status = 'FAILED_PERMANENTLY'), 0),
    coalesce(sum(change) filter (where side.status = 'DISCARDED'), 0),
    coalesce(sum(failures) filter (where not has_recurred), 0),
    coalesce(sum(recurrences) filter (where is_new), 0)
      + coalesce(sum(failures) filter (where has_recurred), 0),
    coalesce(sum(retry_failures) filter (where is_new), 0),
    coalesce(sum(entered) filter (where is_new and side.status = 'SUCCEEDED'), 0),
    coalesce(sum(entered) filter (where is_new and side.status = 'FAILED_PERMANENTLY'), 0),
    coalesce(sum(entered) filter (where is_new and side.status = 'DISCARDED'), 0),
    max(sample_event_id) filter (where failures > 0 or is_moved),
    min(case when failures > 0 then first_seen_at else last_seen_at end)
      filter (where failures > 0 or is_moved),
    greatest(max(last_seen_at) filter (where is_new and recurrences > 0 or failures > 0 or is_moved),
      -- A retry that failed is a failure alike, which a resolved error group does not survive.
      case when bool_or(is_new and retry_failures > 0) then now() end)
  from moves
  cross join lateral (values
    (date_trunc('hour', now(), 'UTC'), event_type, moves.fingerprint, moves.status, events, 0, true),
    (date_trunc('hour', now(), 'UTC'), old_type, old_fingerprint, old_status, -events, 0, false),
    (failed, old_type, moves.fingerprint, null, 0, events, false),
    (failed, old_type, old_fingerprint, null, 0, -events, false)
  ) as side (hour, type, fingerprint, status, change, failures, is_new)
  cross join lateral (select is_new and moves.fingerprint <> old_fingerprint as is_moved) as grouping
  where hour is not null
  group by hour, type, side.fingerprint;
  if found and current_setting('dlo.notify', true) = 'on' then
    notify dlq_events;
  end if;
  return null;
end
$$;

create trigger dlq_events_count_captured after insert on dlq_events
referencing new table as changed for each statement execute function dlq_count_events();

create trigger dlq_events_count_changed after update on dlq_events
referencing old table as was new table as became for each statement execute function dlq_count_changes();

create trigger dlq_events_count_removed after delete on dlq_events
referencing old table as changed for each statement execute function dlq_count_events();

create trigger dlq_events_count_truncated after truncate on dlq_events
for each statement execute function dlq_count_events();

-- Corrects the current counts after changes that no trigger saw: events older than the triggers, a restore
-- with triggers disabled. Appends the differences like any other change. One snapshot has the events and
-- their counts, so that no statement has to stop; the lock admits one recount at a time, since two would
-- correct the same difference. Not an advisory lock: any login could hold that.
create function dlq_recount() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
$$;

comment on function dlq_recount is
  'Corrects the current counts by reading all events. Needed only after changes that bypassed the triggers.';
