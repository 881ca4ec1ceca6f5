-- Turns the table dead_letter of the Japanese summary, into which an application moves rows of a business
-- table, into a view of dlq_events, while the application goes on. Read docs/adopt.md first. Run npm run
-- migrate on the same database, and this file:
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f docs/adopt/dead_letter.sql
--
-- Running it again changes nothing, or continues where it was interrupted. If your columns differ, change
-- them below. The table has no type of events: each gets the type dead_letter, which a route can match.

-- 1. An INSERT into the view captures a failure, within the transaction that moves the row; id becomes that
-- of the event. It runs as the owner of the view: writers need no further right.
create or replace function public.dead_letter_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.id := public.dlq_capture(
    event_type => 'dead_letter',
    payload => coalesce(new.payload, 'null'),
    event_id => 'events/' || new.event_id,
    error_reason => new.error_message,
    source_kind => 'dead_letter',
    metadata => jsonb_build_object('attempted_at', new.attempted_at));
  return new;
end
$$;

create or replace function public.dead_letter_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'dead_letter is a view of dlq_events, whose events are archived: % is rejected.', tg_op
    using hint = 'Stop the job that changes or deletes rows. To close an event, discard it in the console.';
end
$$;

-- 2. Renames the table, and puts the view in its place. Waits up to 2 s for the lock, so that no writer waits
-- for longer; after "lock timeout" nothing has changed, and you run the file again.
do $$
declare
  granted record;
begin
  if to_regclass('public.adopted_dead_letter') is not null then
    return;
  end if;
  set local lock_timeout = '2s';
  alter table public.dead_letter rename to adopted_dead_letter;
  create view public.dead_letter as
  select
    id, substring(event_id from '^events/(\d+)$')::bigint as event_id, payload, error_reason as error_message,
    coalesce((metadata ->> 'attempted_at')::timestamptz, created_at) as attempted_at
  from public.dlq_events
  where source_kind = 'dead_letter';
  create trigger capture instead of insert on public.dead_letter
  for each row execute function public.dead_letter_insert();
  create trigger change instead of update or delete on public.dead_letter
  for each row execute function public.dead_letter_change();
  for granted in
    select
      privilege_type as privilege,
      case grantee when 0 then 'public' else grantee::regrole::text end as login
    from pg_class
    cross join aclexplode(coalesce(relacl, acldefault('r', relowner)))
    where oid = 'public.adopted_dead_letter'::regclass
      and privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  loop
    execute format('grant %s on public.dead_letter to %s', granted.privilege, granted.login);
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
    from (select id from public.adopted_dead_letter where id > after order by id limit 1000) as page;
    exit when upto is null;
    insert into public.dlq_events (
      event_key, source_kind, event_id, event_type, payload, error_reason, created_at, first_failure_at,
      last_failure_at, metadata)
    select
      'dead_letter:' || id, 'dead_letter', 'events/' || event_id, 'dead_letter', coalesce(payload, 'null'),
      coalesce(error_message, 'not reported'), failed_at, failed_at, failed_at,
      jsonb_build_object('adopted', id)
    from public.adopted_dead_letter as old
    cross join lateral (select coalesce(attempted_at, now()) as failed_at) as facts
    where id > after and id <= upto
      and not exists (select from public.dlq_events_archive where event_key = 'dead_letter:' || old.id)
    on conflict (event_key) do nothing;
    commit;
    after := upto;
  end loop;
  select count(*), count(*) filter (where
    exists (select from public.dlq_events where event_key = 'dead_letter:' || old.id)
    or exists (select from public.dlq_events_archive where event_key = 'dead_letter:' || old.id))
  into total, found
  from public.adopted_dead_letter as old;
  raise notice '% of % rows of adopted_dead_letter are events.', found, total;
  if found <> total then
    raise exception 'Rows of adopted_dead_letter are missing in dlq_events.'
      using hint = 'Keep the table, and run this file again.';
  end if;
end
$$;

-- When all rows are events and you do not want to go back: drop table adopted_dead_letter. The view stays
-- until the last writer calls dlq_capture() itself.
--
-- To go back: stop the schedule of this product, and run this. Writers wait meanwhile, and then use the old
-- table. It gets the events that were not delivered or discarded; the others stay in dlq_events alone,
-- because the table has no status.
--
--   begin;
--   alter view dead_letter rename to left_dead_letter;
--   delete from adopted_dead_letter as old
--   where not exists (
--     select from dlq_events
--     where event_key = 'dead_letter:' || old.id and status not in ('SUCCEEDED', 'DISCARDED'));
--   insert into adopted_dead_letter (event_id, payload, error_message, attempted_at)
--   select event_id, payload, error_message, attempted_at
--   from left_dead_letter
--   where id in (
--     select id from dlq_events
--     where status not in ('SUCCEEDED', 'DISCARDED') and not coalesce(metadata ? 'adopted', false));
--   delete from dlq_events where source_kind = 'dead_letter' and status not in ('SUCCEEDED', 'DISCARDED');
--   drop view left_dead_letter;
--   drop function dead_letter_insert, dead_letter_change;
--   alter table adopted_dead_letter rename to dead_letter;
--   commit;
