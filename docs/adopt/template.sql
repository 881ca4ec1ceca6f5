-- A template for a table of your own, with a message as text and a state. Read docs/adopt.md first. Copy this
-- file, replace failed_jobs by the name of your table, and the columns and words of each line that ends with
-- --! by yours. Then run npm run migrate on the same database, and your file:
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f failed_jobs.sql
--
-- Running it again changes nothing, or continues where it was interrupted.

-- 1. An INSERT into the view captures a failure; id becomes that of the event. It runs as the owner of the
-- view: writers need no further right. A message that is jsonb has no exact bytes: payload => new.message,
-- and no body.
create or replace function public.failed_jobs_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.id := public.dlq_capture( --!
    event_type => new.queue, --!
    payload => case when new.message is json then new.message::jsonb else to_jsonb(new.message) end, --!
    body => convert_to(new.message, 'UTF8'), --!
    error_reason => new.error, --!
    error_kind => case when new.state = 'dead' then 'permanent' end, --!
    source_kind => 'failed_jobs');
  return new;
end
$$;

-- An UPDATE by which a worker settles is passed on. Any other UPDATE, and a DELETE, is rejected.
create or replace function public.failed_jobs_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  settled text[] := array['state', 'tries']; --!
  word text := case new.state --!
    when 'open' then 'PENDING' when 'done' then 'SUCCEEDED' when 'dead' then 'FAILED_PERMANENTLY' end; --!
begin
  if tg_op = 'DELETE' then
    raise exception 'failed_jobs is a view of dlq_events, whose events are archived, and not deleted.'
      using hint = 'Set state to done.'; --!
  end if;
  if to_jsonb(new) - settled <> to_jsonb(old) - settled then
    raise exception 'failed_jobs is a view of dlq_events. UPDATE may change only %.',
      array_to_string(settled, ', ') using hint = 'Edit the event in the console.';
  end if;
  if word is null then
    raise exception 'failed_jobs.state: "%" is none of open, done, dead.', new.state; --!
  end if;
  update public.dlq_events
  set status = word, retry_count = new.tries, updated_at = now() --!
  where id = old.id;
  return case when found then new end;
end
$$;

-- 2. Renames the table, and puts the view in its place. Waits up to 2 s for the lock, so that no writer waits
-- for longer; after "lock timeout" nothing has changed, and you run the file again.
do $$
declare
  unknown text;
  granted record;
begin
  if to_regclass('public.adopted_failed_jobs') is not null then
    return;
  end if;
  select string_agg(distinct state, ', ') into unknown --!
  from public.failed_jobs
  where state not in ('open', 'done', 'dead'); --!
  if unknown is not null then
    raise exception 'failed_jobs.state: % is none of open, done, dead.', unknown --!
      using hint = 'Update these rows, and run this file again.';
  end if;
  set local lock_timeout = '2s';
  alter table public.failed_jobs rename to adopted_failed_jobs;
  -- No new event gets an id that a row has had. A thousand more: others capture at this moment.
  if (select max(id) from public.adopted_failed_jobs)
    >= nextval(pg_get_serial_sequence('public.dlq_events', 'id'))
  then
    perform setval(pg_get_serial_sequence('public.dlq_events', 'id'), max(id) + 1000)
    from public.adopted_failed_jobs;
  end if;
  create view public.failed_jobs as
  select
    id, event_type as queue, convert_from(body, 'UTF8') as message, error_reason as error, --!
    case status when 'SUCCEEDED' then 'done' when 'DISCARDED' then 'done' --!
      when 'FAILED_PERMANENTLY' then 'dead' else 'open' end as state, --!
    retry_count as tries, created_at as failed_at --!
  from public.dlq_events
  where source_kind = 'failed_jobs';
  create trigger capture instead of insert on public.failed_jobs
  for each row execute function public.failed_jobs_insert();
  create trigger change instead of update or delete on public.failed_jobs
  for each row execute function public.failed_jobs_change();
  for granted in
    select
      privilege_type as privilege,
      case grantee when 0 then 'public' else grantee::regrole::text end as login
    from pg_class
    cross join aclexplode(coalesce(relacl, acldefault('r', relowner)))
    where oid = 'public.adopted_failed_jobs'::regclass
      and privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  loop
    execute format('grant %s on public.failed_jobs to %s', granted.privilege, granted.login);
  end loop;
end
$$;

-- 3. Copies the rows, 1,000 in each transaction, and compares the counts. The key of an event names its row,
-- so that each is copied once. An event has a new id; that of its row is metadata.adopted.
do $$
declare
  after bigint := 0;
  upto bigint;
  found bigint;
  total bigint;
begin
  loop
    select max(id) into upto
    from (select id from public.adopted_failed_jobs where id > after order by id limit 1000) as page;
    exit when upto is null;
    insert into public.dlq_events (
      event_key, source_kind, metadata, event_type, payload, body, error_reason, retry_count, status,
      processed_at, created_at, first_failure_at, last_failure_at)
    select
      'failed_jobs:' || id, 'failed_jobs', jsonb_build_object('adopted', id), queue, --!
      case when message is json then message::jsonb else to_jsonb(message) end, --!
      convert_to(message, 'UTF8'), coalesce(error, 'not reported'), --!
      least(1000000000, greatest(0, tries)), word, --!
      case when word <> 'PENDING' then failed_at end, failed_at, failed_at, failed_at --!
    from public.adopted_failed_jobs as old
    cross join lateral (
      select case state --!
        when 'done' then 'SUCCEEDED' when 'dead' then 'FAILED_PERMANENTLY' else 'PENDING' end as word --!
    ) as facts
    where id > after and id <= upto
      and not exists (select from public.dlq_events_archive where event_key = 'failed_jobs:' || old.id)
    on conflict (event_key) do nothing;
    commit;
    after := upto;
  end loop;
  select count(*), count(*) filter (where
    exists (select from public.dlq_events where event_key = 'failed_jobs:' || old.id)
    or exists (select from public.dlq_events_archive where event_key = 'failed_jobs:' || old.id))
  into total, found
  from public.adopted_failed_jobs as old;
  raise notice '% of % rows of adopted_failed_jobs are events.', found, total;
  if found <> total then
    raise exception 'Rows of adopted_failed_jobs are missing in dlq_events.'
      using hint = 'Keep the table, and run this file again.';
  end if;
end
$$;

-- When all rows are events and you do not want to go back: drop table adopted_failed_jobs. The view stays
-- until the last writer calls dlq_capture() itself.
--
-- To go back: stop the schedule of this product, and run this. Writers wait meanwhile, and then use the old
-- table, which gets the events of today. They leave dlq_events, so that nothing delivers them twice.
--
--   begin;
--   alter view failed_jobs rename to left_failed_jobs;
--   select count(*) from dlq_restore_events(
--     array(select id from dlq_events_archive where source_kind = 'failed_jobs'));
--   update adopted_failed_jobs as old
--   set state = event.state, tries = event.tries --!
--   from left_failed_jobs as event
--   join dlq_events using (id)
--   where event_key = 'failed_jobs:' || old.id;
--   insert into adopted_failed_jobs (id, queue, message, error, state, tries, failed_at) --!
--   select id, queue, message, error, state, tries, failed_at --!
--   from left_failed_jobs
--   where id in (select id from dlq_events where not coalesce(metadata ? 'adopted', false));
--   select setval(pg_get_serial_sequence('adopted_failed_jobs', 'id'), max(id)) from adopted_failed_jobs;
--   delete from dlq_events where source_kind = 'failed_jobs';
--   drop view left_failed_jobs;
--   drop function failed_jobs_insert, failed_jobs_change;
--   alter table adopted_failed_jobs rename to failed_jobs;
--   commit;
