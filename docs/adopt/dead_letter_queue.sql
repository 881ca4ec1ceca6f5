-- Turns the table dead_letter_queue of the Hotdry guide into a view of dlq_events, while consumers go on
-- writing. Read docs/adopt.md first. Run npm run migrate on the same database, and this file:
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f docs/adopt/dead_letter_queue.sql
--
-- Running it again changes nothing, or continues where it was interrupted. If your columns or words differ,
-- change them below.

-- 1. An INSERT into the view captures a failure; id becomes that of the event. It runs as the owner of the
-- view: writers need no further right.
create or replace function public.dead_letter_queue_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.id := public.dlq_capture(
    event_type => coalesce(new.event_type, 'unknown'),
    payload => coalesce(new.payload, 'null'),
    event_id => new.event_id,
    error_reason => new.error_message,
    error_stacktrace => new.error_stack_trace,
    error_class => new.error_type,
    error_kind => case when new.status = 'permanent_failed' then 'permanent' end,
    source_kind => 'dead_letter_queue',
    source_topic => new.source_topic,
    consumer_group => new.consumer_group,
    trace_id => new.metadata ->> 'trace_id',
    metadata => new.metadata,
    retry_after => new.next_retry_at,
    max_retries => new.max_retries);
  return new;
end
$$;

-- An UPDATE by which a worker settles is passed on, except for the times, which are those of the event. Any
-- other UPDATE, and a DELETE, is rejected.
create or replace function public.dead_letter_queue_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  settled text[] := array[
    'status', 'retry_count', 'next_retry_at', 'last_failure_at', 'processed_at', 'error_message',
    'error_stack_trace', 'error_type'];
  word text := case new.status
    when 'pending' then 'PENDING' when 'retrying' then 'PROCESSING' when 'succeeded' then 'SUCCEEDED'
    when 'permanent_failed' then 'FAILED_PERMANENTLY' when 'discarded' then 'DISCARDED' end;
begin
  if tg_op = 'DELETE' then
    raise exception 'dead_letter_queue is a view of dlq_events, whose events are archived, and not deleted.'
      using hint = 'Set status to succeeded or discarded.';
  end if;
  if to_jsonb(new) - settled <> to_jsonb(old) - settled then
    raise exception 'dead_letter_queue is a view of dlq_events. UPDATE may change only %.',
      array_to_string(settled, ', ') using hint = 'Edit the event in the console.';
  end if;
  if word is null then
    raise exception 'dead_letter_queue.status: "%" is none of %.', new.status,
      'pending, retrying, succeeded, permanent_failed, discarded';
  end if;
  update public.dlq_events
  set status = word, retry_count = new.retry_count, retry_after = coalesce(new.next_retry_at, retry_after),
    error_reason = coalesce(new.error_message, error_reason), error_stacktrace = new.error_stack_trace,
    error_class = new.error_type, updated_at = now()
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
  if to_regclass('public.adopted_dead_letter_queue') is not null then
    return;
  end if;
  select string_agg(distinct status, ', ') into unknown
  from public.dead_letter_queue
  where status not in ('pending', 'retrying', 'succeeded', 'permanent_failed', 'discarded');
  if unknown is not null then
    raise exception 'dead_letter_queue.status: % is none of %.', unknown,
      'pending, retrying, succeeded, permanent_failed, discarded'
      using hint = 'Update these rows, and run this file again.';
  end if;
  set local lock_timeout = '2s';
  alter table public.dead_letter_queue rename to adopted_dead_letter_queue;
  -- No new event gets an id that a row has had. A thousand more: others capture at this moment.
  if (select max(id) from public.adopted_dead_letter_queue)
    >= nextval(pg_get_serial_sequence('public.dlq_events', 'id'))
  then
    perform setval(pg_get_serial_sequence('public.dlq_events', 'id'), max(id) + 1000)
    from public.adopted_dead_letter_queue;
  end if;
  create view public.dead_letter_queue as
  select
    id, event_id, event_type, payload, error_reason as error_message, error_stacktrace as error_stack_trace,
    error_class as error_type, source_topic, consumer_group,
    case status
      when 'PROCESSING' then 'retrying' when 'FAILED_PERMANENTLY' then 'permanent_failed' else lower(status)
    end as status,
    retry_count, max_retries, first_failure_at, last_failure_at, retry_after as next_retry_at, processed_at,
    metadata
  from public.dlq_events
  where source_kind = 'dead_letter_queue';
  create trigger capture instead of insert on public.dead_letter_queue
  for each row execute function public.dead_letter_queue_insert();
  create trigger change instead of update or delete on public.dead_letter_queue
  for each row execute function public.dead_letter_queue_change();
  for granted in
    select
      privilege_type as privilege,
      case grantee when 0 then 'public' else grantee::regrole::text end as login
    from pg_class
    cross join aclexplode(coalesce(relacl, acldefault('r', relowner)))
    where oid = 'public.adopted_dead_letter_queue'::regclass
      and privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  loop
    execute format('grant %s on public.dead_letter_queue to %s', granted.privilege, granted.login);
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
    from (select id from public.adopted_dead_letter_queue where id > after order by id limit 1000) as page;
    exit when upto is null;
    insert into public.dlq_events (
      event_key, source_kind, event_id, event_type, payload, error_reason, error_stacktrace, error_class,
      source_topic, consumer_group, status, retry_count, max_retries, created_at, first_failure_at,
      last_failure_at, retry_after, processed_at, trace_id, metadata)
    select
      'dead_letter_queue:' || id, 'dead_letter_queue', event_id, coalesce(event_type, 'unknown'),
      coalesce(payload, 'null'), coalesce(error_message, 'not reported'), error_stack_trace, error_type,
      source_topic, consumer_group, word, least(1000000000, greatest(0, retry_count)),
      -- Some write -1 for retries without end, which the policy of a route has.
      case when max_retries >= 0 then max_retries end, first_at, first_at,
      greatest(last_failure_at, first_at), coalesce(next_retry_at, now()),
      case when word <> 'PENDING' then coalesce(processed_at, last_failure_at, now()) end,
      metadata ->> 'trace_id', coalesce(metadata, '{}') || jsonb_build_object('adopted', id)
    from public.adopted_dead_letter_queue as old
    cross join lateral (
      select
        coalesce(first_failure_at, last_failure_at, now()) as first_at,
        case status
          when 'succeeded' then 'SUCCEEDED' when 'permanent_failed' then 'FAILED_PERMANENTLY'
          when 'discarded' then 'DISCARDED' else 'PENDING'
        end as word
    ) as facts
    where id > after and id <= upto
      and not exists (select from public.dlq_events_archive where event_key = 'dead_letter_queue:' || old.id)
    on conflict (event_key) do nothing;
    commit;
    after := upto;
  end loop;
  select count(*), count(*) filter (where
    exists (select from public.dlq_events where event_key = 'dead_letter_queue:' || old.id)
    or exists (select from public.dlq_events_archive where event_key = 'dead_letter_queue:' || old.id))
  into total, found
  from public.adopted_dead_letter_queue as old;
  raise notice '% of % rows of adopted_dead_letter_queue are events.', found, total;
  if found <> total then
    raise exception 'Rows of adopted_dead_letter_queue are missing in dlq_events.'
      using hint = 'Keep the table, and run this file again.';
  end if;
end
$$;

-- When all rows are events and you do not want to go back: drop table adopted_dead_letter_queue. The view
-- stays until the last writer calls dlq_capture() itself.
--
-- To go back: stop the schedule of this product, and run this. Writers wait meanwhile, and then use the old
-- table, which gets the events of today. They leave dlq_events, so that nothing delivers them twice.
--
--   begin;
--   alter view dead_letter_queue rename to left_dead_letter_queue;
--   select count(*) from dlq_restore_events(
--     array(select id from dlq_events_archive where source_kind = 'dead_letter_queue'));
--   update adopted_dead_letter_queue as old
--   set status = event.status, retry_count = event.retry_count, next_retry_at = event.next_retry_at,
--     error_message = event.error_message, last_failure_at = event.last_failure_at,
--     processed_at = event.processed_at
--   from left_dead_letter_queue as event
--   where event.metadata ->> 'adopted' = old.id::text;
--   insert into adopted_dead_letter_queue (
--     id, event_id, event_type, payload, error_message, error_stack_trace, error_type, source_topic,
--     consumer_group, status, retry_count, max_retries, first_failure_at, last_failure_at, next_retry_at,
--     processed_at, metadata)
--   select
--     id, event_id, event_type, payload, error_message, error_stack_trace, error_type, source_topic,
--     consumer_group, status, retry_count, max_retries, first_failure_at, last_failure_at, next_retry_at,
--     processed_at, metadata
--   from left_dead_letter_queue
--   where not coalesce(metadata ? 'adopted', false);
--   select setval(pg_get_serial_sequence('adopted_dead_letter_queue', 'id'), max(id))
--   from adopted_dead_letter_queue;
--   delete from dlq_events where source_kind = 'dead_letter_queue';
--   drop view left_dead_letter_queue;
--   drop function dead_letter_queue_insert, dead_letter_queue_change;
--   alter table adopted_dead_letter_queue rename to dead_letter_queue;
--   commit;
