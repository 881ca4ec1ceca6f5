-- Archive: closed events, partitioned by month of capture (UTC), each dropped as a whole.

-- Same columns in the same order as dlq_events, so that INSERT INTO ... SELECT * moves rows. The default
-- partition takes rows of months without a partition, so that archiving an event never fails.
create table dlq_events_archive (like dlq_events) partition by range (created_at);
create table dlq_events_archive_default partition of dlq_events_archive default;

-- For publications of all tables. Partitions do not inherit it.
alter table dlq_events_archive replica identity full;
alter table dlq_events_archive_default replica identity full;

comment on table dlq_events_archive is 'Archive: closed events, partitioned by month of capture.';
comment on table dlq_events_archive_default is 'Archive: events of months that have no partition.';

create index dlq_events_archive_id on dlq_events_archive (id);
create index dlq_events_archive_event_key on dlq_events_archive (event_key);
create index dlq_events_archive_failed_at on dlq_events_archive (last_failure_at);
create index dlq_events_archive_created_at on dlq_events_archive (created_at);
create index dlq_events_archive_id_hashes on dlq_events_archive using gin (string_to_array(id_hashes, null));

-- Creating and dropping partitions requires the owner of the schema. The functions below run as the owner:
-- maintain may do this to the archive and to no other table. Like every function that runs as the owner, they
-- search pg_catalog alone and name each object with its schema, so that no caller can put an object of its
-- own in its place.

-- Adds columns that a team added to dlq_events, so that the archive keeps their values. Creates the
-- partitions from the month of the oldest event, at most five years ago, to `ahead` months from now, and
-- those of the rows of the default partition, in years of four digits, which move there. Safe to call
-- concurrently. Fails after waiting 3 s for a lock, as a reader with an open transaction may hold one and
-- others would wait behind it. Returns the names of the new partitions.
create function dlq_create_archive_partitions(ahead integer) returns setof text language plpgsql
security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set lock_timeout = '3s' as $$
declare
  starts_at timestamptz;
  ends_at timestamptz;
  partition text;
  added record;
begin
  for added in
    select attname as name, format_type(atttypid, atttypmod) as type
    from pg_attribute as own
    where attrelid = 'public.dlq_events'::regclass and attnum > 0 and not attisdropped and not exists (
      select from pg_attribute as other
      where other.attrelid = 'public.dlq_events_archive'::regclass and other.attname = own.attname)
    order by attnum
  loop
    execute format('alter table public.dlq_events_archive add column %I %s', added.name, added.type);
  end loop;
  -- The lock of ATTACH PARTITION, taken early. Not an advisory lock: any login could hold that.
  lock table only public.dlq_events_archive in share update exclusive mode;
  -- The event with the lowest id is nearly always the oldest, and min(created_at) would read the whole table.
  -- Older events go to the default partition, and from there to their month with the next call.
  foreach starts_at in array array(
    select generate_series(date_trunc('month', greatest(least(now(), oldest), now() - interval '5 years')),
      now() + make_interval(months => ahead), interval '1 month')
    from (select (select created_at from public.dlq_events order by id limit 1) as oldest) as event
    union
    -- Each takes locks; the next call creates others.
    (select distinct date_trunc('month', created_at) from public.dlq_events_archive_default
      where created_at >= '1000-01-01' and created_at < '10000-01-01' limit 60)
    order by 1
  ) loop
    ends_at := starts_at + interval '1 month';
    partition := 'dlq_events_archive_' || to_char(starts_at, 'YYYY_MM');
    continue when to_regclass('public.' || partition) is not null;
    begin
      execute format('create table public.%I (like public.dlq_events_archive)', partition);
      execute format('alter table public.%I replica identity full', partition);
      execute format(
        'with moved as (
           delete from public.dlq_events_archive_default
           where created_at >= $1 and created_at < $2 returning *)
         insert into public.%I select * from moved', partition) using starts_at, ends_at;
      execute format('alter table public.dlq_events_archive attach partition public.%I
        for values from (%L) to (%L)', partition, starts_at, ends_at);
      return next partition;
    exception when invalid_object_definition then
      -- A team attached a partition of its own, which has this month.
    end;
  end loop;
end
$$;

-- Drops a month of the archive, a part with each call. The first call detaches it, and fails after waiting 3
-- s for the lock, so that others do not wait behind it; the next call tries again. `exported`, if not null,
-- is the sum of the digests of the exported events: if the month has another one now, it is kept, since an
-- event would be lost unexported. Not their number: one may have been restored, and another archived.
--
-- Later calls, also without a month, delete a part of what belongs to a detached one: attempts, captures and
-- the lists of actions of up to `page` events after the event `after`; after its last event, up to `page`
-- selected events of replays that ended before the month did; and then ticks and counts of replays that old,
-- and the month itself. The entries of the audit and the replays stay. Returns the `after` of the next call:
-- the last event of the page, 0 after detaching and after a month; null if the month is kept, or no detached
-- one is left. A killed call is continued by the next.
create function dlq_drop_archive_month(month date, exported numeric, after bigint, page integer)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set lock_timeout = '3s' as $$
declare
  attached regclass := to_regclass('public.dlq_events_archive_' || to_char(month, 'YYYY_MM'));
  differs boolean;
  dropped regclass;
  ends_at timestamptz;
  ids bigint[];
begin
  if attached is not null then
    lock table only public.dlq_events_archive;
    execute format('select coalesce(sum(hash_record_extended((id, reopened_at, updated_at), 0)), 0) <> $1
      from %s where $1 is not null', attached) into differs using exported;
    if differs then
      return null;
    end if;
    execute format('alter table public.dlq_events_archive detach partition %s', attached);
    execute format(
      'alter table %s rename to %I', attached, 'dlq_events_dropped_' || to_char(month, 'YYYY_MM'));
    return 0;
  end if;
  select oid, to_date(right(relname, 7), 'YYYY_MM') + interval '1 month' into dropped, ends_at
  from pg_class
  where relname ~ '^dlq_events_dropped_[0-9]{4}_[0-9]{2}$'
    and relnamespace = 'public'::regnamespace
  order by relname
  limit 1;
  if dropped is null then
    return null;
  end if;
  execute format('select array(select id from %s where id > $1 order by id limit $2)', dropped)
  into ids using after, page;
  if cardinality(ids) > 0 then
    delete from public.dlq_attempts where event_id = any (ids);
    delete from public.dlq_captures where event_id = any (ids);
    delete from public.dlq_audit_events where event_id = any (ids);
    return ids[cardinality(ids)];
  end if;
  delete from public.dlq_run_events
  where (run_id, event_id) in (
    select own.run_id, own.event_id
    from public.dlq_runs as run
    join public.dlq_run_events as own on own.run_id = run.id
    where run.trigger = 'replay' and run.ended_at < ends_at
    limit page
  );
  if found then
    return after;
  end if;
  -- Metrics read the latest tick, however old it is.
  delete from public.dlq_runs
  where trigger = 'schedule' and started_at < ends_at and ended_at < ends_at
    and id < (select max(id) from public.dlq_runs where trigger = 'schedule');
  execute format('drop table %s', dropped);
  return 0;
end
$$;

-- Moves archived events back with reopened_at alone changed, except events that were captured again since,
-- also at this moment: the copy comes first, and only a copied event leaves the archive. Runs as the owner: a
-- role that may restore events may not insert arbitrary ones. Returns the ids of the restored events.
create function dlq_restore_events(ids bigint[]) returns setof bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- A team may have added columns of its own.
  columns text := (
    select string_agg(quote_ident(attname), ', ' order by attnum)
    from pg_attribute
    where attrelid = 'public.dlq_events'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      and attname <> 'reopened_at');
begin
  return query execute format($sql$
    with archived as (
      -- Locked: two calls restore an event once.
      select * from public.dlq_events_archive where id = any ($1) for update
    ),
    restored as (
      insert into public.dlq_events (%1$s, reopened_at) select %1$s, now() from archived
      on conflict do nothing returning id
    )
    delete from public.dlq_events_archive where id in (select id from restored) returning id
  $sql$, columns) using ids;
end
$$;
