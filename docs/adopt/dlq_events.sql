-- Turns the table dlq_events of the Wayfair article and the QueryPlane guide, and its dlq_events_archive,
-- into those of Dead Letter Office, while consumers go on writing. Read docs/adopt.md first. Run this file,
-- then npm run migrate, then this file again:
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f docs/adopt/dlq_events.sql
--
-- Running it again at any time changes nothing, or continues where it was interrupted.

-- 1. Renames the table, and puts a view in its place, through which consumers write, read and claim until npm
-- run migrate replaces it. security_invoker: the rights of the caller on the renamed table count. Waits up to
-- 2 s for each lock, so that no writer waits for longer; after "lock timeout" nothing has changed, and you
-- run the file again.
do $$
declare
  name text;
  relation_name text;
begin
  set local lock_timeout = '2s';
  foreach name in array array['dlq_events_archive', 'dlq_events'] loop
    continue when not exists (
        select from pg_class where oid = to_regclass('public.' || name) and relkind in ('r', 'p'))
      or exists (
        select from pg_attribute where attrelid = to_regclass('public.' || name) and attname = 'event_key');
    execute format('alter table public.%I rename to %I', name, 'adopted_' || name);
    -- Indexes and the sequence of this product have some of the same names.
    for relation_name in
      select relname from pg_depend join pg_class on pg_class.oid = objid
      where refobjid = to_regclass('public.adopted_' || name) and relkind in ('i', 'I', 'S')
      union
      select relname from pg_index join pg_class on oid = indexrelid
      where indrelid = to_regclass('public.adopted_' || name)
    loop
      execute format('alter table public.%I rename to %I', relation_name, 'adopted_' || left(relation_name, 55));
    end loop;
    execute format(
      'create view public.%I with (security_invoker) as table public.%I', name, 'adopted_' || name);
    execute format('grant all on public.%I to public', name);
    -- npm run migrate reads the highest id, on a database of pulumi up by this role.
    if exists (select from pg_roles where rolname = 'dlq_owner') then
      execute format('grant select on public.%I to dlq_owner', 'adopted_' || name);
    end if;
  end loop;
end
$$;

-- 2. After npm run migrate: copies the rows with their ids, 1,000 in each transaction, and compares the
-- counts. The key of an event names its row, so that each is copied once. Columns of your own go to metadata.
do $$
declare
  name text;
  unknown text;
  after bigint;
  upto bigint;
  found bigint;
  total bigint;
begin
  if to_regclass('public.adopted_dlq_events') is null then
    raise exception 'The schema public has no table dlq_events of the articles.';
  end if;
  if not exists (
    select from pg_attribute where attrelid = to_regclass('public.dlq_events') and attname = 'event_key')
  then
    raise notice 'dlq_events is adopted_dlq_events now. Run npm run migrate, and then this file again.';
    return;
  end if;
  foreach name in array array['adopted_dlq_events', 'adopted_dlq_events_archive'] loop
    continue when to_regclass('public.' || name) is null;
    execute format($check$
      select string_agg(distinct status, ', ') from public.%I
      where upper(status) not in ('PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY')
      $check$, name) into unknown;
    if unknown is not null then
      raise exception '%.status: % is none of %.', name, unknown,
        'PENDING, PROCESSING, SUCCEEDED, FAILED_PERMANENTLY'
        using hint = 'Update these rows, and run this file again.';
    end if;
    after := 0;
    loop
      execute format(
        'select max(id) from (select id from public.%I where id > $1 order by id limit 1000) as page', name)
      into upto using after;
      exit when upto is null;
      execute format($copy$
        insert into public.dlq_events (
          id, event_key, event_type, payload, error_reason, error_stacktrace, status, retry_count,
          retry_after, created_at, updated_at, first_failure_at, last_failure_at, processed_at, metadata)
        select
          id, 'dlq_events:' || id, event_type, payload, error_reason, error_stacktrace, word,
          least(1000000000, greatest(0, retry_count)), retry_after, created_at, updated_at, created_at, created_at,
          case when word <> 'PENDING' then updated_at end,
          nullif(to_jsonb(old) - array[
            'id', 'event_type', 'payload', 'error_reason', 'error_stacktrace', 'status', 'retry_count',
            'retry_after', 'created_at', 'updated_at'], '{}')
        from public.%I as old
        cross join lateral (
          select case upper(status)
            when 'SUCCEEDED' then 'SUCCEEDED' when 'FAILED_PERMANENTLY' then 'FAILED_PERMANENTLY'
            else 'PENDING' end as word
        ) as facts
        where id > $1 and id <= $2
          and not exists (select from public.dlq_events_archive where event_key = 'dlq_events:' || old.id)
        on conflict (event_key) do nothing
        $copy$, name) using after, upto;
      commit;
      after := upto;
    end loop;
    execute format($count$
      select count(*), count(*) filter (where
        exists (select from public.dlq_events where event_key = 'dlq_events:' || old.id)
        or exists (select from public.dlq_events_archive where event_key = 'dlq_events:' || old.id))
      from public.%I as old
      $count$, name) into total, found;
    raise notice '% of % rows of % are events.', found, total, name;
    if found <> total then
      raise exception 'Rows of % are missing in dlq_events.', name
        using hint = 'Keep the table, and run this file again.';
    end if;
  end loop;
end
$$;

-- When all rows are events and you do not want to go back: drop table adopted_dlq_events,
-- adopted_dlq_events_archive;
--
-- To go back: stop the functions of this product, and run this. Writers wait meanwhile, and then use the old
-- table, which gets the events of today. That of this product stays as dlq_events_of_product.
--
--   begin;
--   lock table dlq_events in access exclusive mode;
--   insert into adopted_dlq_events (
--     id, event_type, payload, error_reason, error_stacktrace, status, retry_count, retry_after, created_at,
--     updated_at)
--   select
--     id, event_type, payload, error_reason, error_stacktrace, status, retry_count, retry_after, created_at,
--     updated_at
--   from (table dlq_events union all table dlq_events_archive) as event
--   on conflict (id) do update set
--     error_reason = excluded.error_reason, error_stacktrace = excluded.error_stacktrace,
--     status = excluded.status, retry_count = excluded.retry_count, retry_after = excluded.retry_after,
--     updated_at = excluded.updated_at;
--   select setval(pg_get_serial_sequence('adopted_dlq_events', 'id'), max(id)) from adopted_dlq_events;
--   alter table dlq_events rename to dlq_events_of_product;
--   alter table adopted_dlq_events rename to dlq_events;
--   commit;
