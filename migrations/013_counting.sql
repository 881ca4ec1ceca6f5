-- Counting: triggers on dlq_events append the changes of each statement to the counts of 012_counts.sql.

-- Counts once per statement on dlq_events, plain SQL included. Runs as the owner: a role that may change
-- events needs no right to the counts.
--
-- Notifies in sessions with `SET dlo.notify = on`: commits that notify wait for one another.
--
-- Nested loops are off: the plan is made for the first statement of a connection and kept for statements of
-- any size.
--
-- INSERT: a capture counts in its hour; one that has recurred, in the hour of its last failure. What returns
-- from the archive was counted then, and an edit when its original was captured: as reopened ones, they are
-- counted as events of now.
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
$$;

-- UPDATE: an event leaves its old state and group and enters the new ones. All failures of an event count
-- under the type with which it was captured: the counters of a type never decrease. If the group or the hour
-- of its latest failure is known better, that failure moves. What an edit repeats is no failure of its own,
-- and neither a recurrence nor the undo of a reopening is a retry that failed.
--
-- A replay may return an event to the state it came from, with its old processed_at: nothing was delivered,
-- failed or discarded again. Compared with this transaction, too: the clock may have been set back since the
-- event was claimed. An event that its edit replaces, captured at this moment, is not discarded. Its edit is
-- found by max(): for `exists` the planner would read the whole audit.
create function dlq_count_changes() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
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
