-- Audit: every action of an operator, of which no role may update or delete a row, and edits of events.

create table dlq_audit (
  id       bigint generated always as identity primary key,
  at       timestamptz not null default now(),
  -- A role without the right to insert it, dlq_maintain, records its own actions only.
  actor    text not null default 'service',
  action   text not null,
  reason   text,
  run_id   bigint,
  event_id bigint,
  -- The entry whose outcome this row records, as no row is ever changed.
  closes   bigint,
  details  jsonb not null default '{}',
  -- The login that inserted the row: an actor is what this login reports. No role may insert it.
  login    text not null default session_user
);

comment on table dlq_audit is 'Audit: every action of an operator. No role may update or delete rows.';

create index dlq_audit_event on dlq_audit (event_id) where event_id is not null;
create index dlq_audit_run on dlq_audit (run_id) where run_id is not null;
create unique index dlq_audit_closes on dlq_audit (closes) where closes is not null;
create index dlq_audit_target on dlq_audit ((details ->> 'target'), id) where details ? 'target';
create index dlq_audit_merged on dlq_audit ((details ->> 'merged'), id) where details ? 'merged';
create index dlq_audit_view on dlq_audit ((details ->> 'view'), (details ->> 'owner'), id desc)
  where details ? 'view';
create index dlq_audit_group on dlq_audit ((details ->> 'fingerprint'), id) where details ? 'fingerprint';

-- One row for each event that an action changed, written by the statement that changed it: the record is
-- exact at any time, also of an action that was interrupted, and has what its undo needs.
create table dlq_audit_events (
  event_id       bigint not null,
  audit_id       bigint not null,
  at             timestamptz not null default now(),
  -- The state of the event before, to which an undo returns it. Null for an event that the action created,
  -- and for a restore.
  status         text,
  priority       smallint,
  retry_count    integer,
  retry_after    timestamptz,
  processed_at   timestamptz,
  reopened_at    timestamptz,
  failure_count  integer,
  delivery_count integer,
  -- The edit that took its place; and the undo that took the action back.
  edit_id        bigint,
  undone_by      bigint,

  primary key (audit_id, event_id)
);

create index dlq_audit_events_event on dlq_audit_events (event_id, audit_id);
create index dlq_audit_events_edited on dlq_audit_events (event_id)
  where edit_id is not null and undone_by is null;

comment on table dlq_audit_events is 'Audit: the events that each action changed, as they were before.';

-- Replaces events by their edits: new events with a body, headers or both of an operator, in the place of
-- the original, open or failed permanently like it, with all retries left. An original that was not closed
-- is closed as DISCARDED at the moment at which its edit is captured. An event that is being delivered, or
-- that another edit has replaced, is left. The audit names the original with its state, and the edit without
-- one. An edited text is UTF-8. Runs as the owner: a role that may edit may not insert arbitrary events.
create function dlq_edit_events(audit bigint, ids bigint[], bodies bytea[], headers jsonb[])
returns table (original_id bigint, edit_id bigint, status text, failure_count integer)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  -- The next statement sees what was done until all of them were locked.
  select from public.dlq_events where id = any (ids) order by id for no key update;
  with original as materialized (
    select event.*, nextval('public.dlq_events_id_seq') as new_id, new_body, new_headers,
      coalesce(edited_from, event.id) as captured_id, regexp_replace(event_key, '@#[0-9a-f]{32}$', '') as key
    from (select * from unnest(ids, bodies, headers) as edit (of, new_body, new_headers) order by of) as edit
    cross join lateral (
      select * from public.dlq_events
      where id = of and (status <> 'PROCESSING' or lease_expires_at <= now())
        and (status <> 'DISCARDED' or not exists (
          select from public.dlq_audit_events
          where event_id = of and edit_id is not null and undone_by is null))
      limit 1
    ) as event
  ),
  edited as (
    insert into public.dlq_events (
      id, edited_from, event_key, metadata, occurred_at, error_reason, status, processed_at, retry_after,
      reopened_at, first_failure_at, last_failure_at, priority, max_retries, event_type, event_id,
      fingerprint, trace_id, error_class, error_stacktrace, payload, body, printed_as, payload_encoding,
      is_exact, content_type, headers, source_kind, source_topic, source_partition, source_offset,
      source_key, source_key_bytes, source_subscription, consumer_group, source_attempts)
    select
      new_id, captured_id, concat(key, '@#', md5(new_id::text)), metadata, occurred_at, error_reason,
      case when is_open then 'PENDING' else 'FAILED_PERMANENTLY' end, case when not is_open then now() end,
      retry_after, now(), first_failure_at, last_failure_at, priority, max_retries, event_type, event_id,
      fingerprint, trace_id, error_class, error_stacktrace, case when new_body is null then payload
        when encoding = 'base64' then to_jsonb(translate(encode(new_body, 'base64'), E'\n', ''))
        when encoding = 'text' then to_jsonb(convert_from(new_body, 'UTF8'))
        else convert_from(new_body, 'UTF8')::jsonb end, coalesce(new_body, body),
      case when new_body is null then printed_as end, encoding, new_body is not null or is_exact,
      case when new_body is null or encoding = 'base64' then content_type else regexp_replace(
        content_type, ';\s*charset=(?!"?utf-8)[^;]*', '; charset=utf-8', 'i') end,
      coalesce(new_headers, case when new_body is null then original.headers
        else original.headers - 'content-encoding' end), source_kind, source_topic, source_partition,
      source_offset, source_key, source_key_bytes, source_subscription, consumer_group, source_attempts
    from original
    cross join lateral (select case
      when new_body is null then payload_encoding
      when not pg_input_is_valid(new_body::text, 'public.dlq_utf8') then 'base64'
      when payload_encoding = 'json' and pg_input_is_valid(convert_from(new_body, 'UTF8'), 'jsonb')
        then 'json' else 'text' end as encoding) as edit
  ),
  closed as (
    update public.dlq_events
    set status = 'DISCARDED', processed_at = now(), lease_token = null, lease_expires_at = null,
        updated_at = now()
    where id = any (array(select id from original where is_blocking))
  ),
  audited as (
    insert into public.dlq_audit_events (event_id, audit_id, status, priority, retry_count, retry_after,
      processed_at, reopened_at, failure_count, delivery_count, edit_id)
    select id, audit, status, priority, retry_count, retry_after, processed_at, reopened_at, failure_count,
      delivery_count, new_id
    from original
    union all
    select new_id, audit, null, null, null, null, null, null, null, null, null from original
  )
  select id, new_id, case when is_open then 'PENDING' else 'FAILED_PERMANENTLY' end, 1 from original
$$;

-- Edits events of a replay by its patch, up to the position `up_to`. The run then has the edits in place of
-- their originals. An event that has changed since it was selected is skipped: the run never sends it as it
-- was captured. Does nothing if another worker was first. Runs as the owner: no role may change the selection
-- of a run.
create function dlq_edit_run_events(run bigint, after integer, up_to integer, ids bigint[], bodies bytea[])
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.dlq_runs set edited_to = up_to
  where id = run and edited_to = after and patch is not null and ended_at is null;
  if not found then
    return;
  end if;
  perform from public.dlq_events where id = any (ids) order by id for no key update;
  -- By key: without statistics about a new run, the planner would read all of its events.
  with waiting as materialized (
    select of, body, exists (
      select from public.dlq_events as event
      where id = of and event.failure_count = own.failure_count and (is_blocking or event.status = own.status)
    ) as is_same
    from unnest(ids, bodies) as edit (of, body)
    cross join lateral (
      select * from public.dlq_run_events where run_id = run and event_id = of limit 1
    ) as own
    where outcome = 'waiting'
  ),
  edited as (
    select edited.*
    from (select array_agg(of) as ids, array_agg(body) as bodies from waiting where is_same) as edits
    cross join lateral public.dlq_edit_events(
      (select min(id) from public.dlq_audit where run_id = run and action = 'create run'),
      edits.ids, edits.bodies, null) as edited
  )
  update public.dlq_run_events as own
  set event_id = coalesce(edit_id, of), failure_count = coalesce(edited.failure_count, own.failure_count),
      status = coalesce(edited.status, own.status),
      outcome = case when edit_id is null then 'skipped' else outcome end,
      reason = case when edit_id is null then 'changed' end,
      settled_at = case when edit_id is null then now() end
  from waiting
  left join edited on original_id = of
  where own.run_id = run and own.event_id = of and own.event_id = any (array(select of from waiting));
end
$$;

-- The events of an action, and why an undo leaves them; null if it returns them to the state before. What an
-- action set, its entry has.
create view dlq_undoable with (security_invoker) as
select change.*, case
    when change.undone_by is not null then 'undone'
    when event.id is null then 'gone'
    when 'PROCESSING' in (event.status, edit.status) then 'leased'
    when event.delivery_count > change.delivery_count or edit.delivery_count > 0 then 'sent'
    when event.failure_count <> change.failure_count then 'changed'
    when not details ? 'sets' and (edit.is_blocking and edit.failure_count = 1
      and event.processed_at in (change.at, change.processed_at)) is not true then 'changed'
    when details ? 'sets' and (event.status, event.priority, event.retry_count, event.retry_after,
        event.processed_at, event.reopened_at)
      is distinct from (became.status, became.priority, became.retry_count, became.retry_after,
        became.processed_at, became.reopened_at) then 'changed'
    when exists (
      select from dlq_audit_events as later
      where later.event_id in (change.event_id, edit.id) and later.audit_id > change.audit_id
        and later.status is not null and later.undone_by is null
    ) then 'changed'
  end as reason
from dlq_audit_events as change
join dlq_audit as entry on entry.id = change.audit_id
cross join lateral jsonb_populate_record(change, replace(coalesce(details ->> 'sets', '{}'),
  '"now"', to_json(change.at)::text)::jsonb) as became
left join lateral (select * from dlq_events where dlq_events.id = change.event_id limit 1) as event on true
left join lateral (select * from dlq_events where dlq_events.id = change.edit_id limit 1) as edit on true
where change.status is not null;

comment on view dlq_undoable is 'The events that an action changed, and why an undo would leave them.';

-- Returns these events of an action to the state before it, and moves edits that it made to the archive.
-- Records them as events of the entry `undo`. Returns their number. Runs as the owner: who may undo edits may
-- not delete arbitrary events.
create function dlq_undo_events(audit bigint, undo bigint, ids bigint[]) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed integer;
  edits bigint[];
begin
  perform from public.dlq_events
  where id = any (ids || array(
    select edit_id from public.dlq_audit_events where audit_id = audit and event_id = any (ids)))
  order by id for no key update;
  with undone as materialized (
    select * from public.dlq_undoable
    where audit_id = audit and event_id = any (ids) and reason is null
  ),
  restored as (
    update public.dlq_events as event
    set status = case undone.status when 'PROCESSING' then 'PENDING' else undone.status end,
        priority = undone.priority, retry_count = undone.retry_count, retry_after = undone.retry_after,
        processed_at = undone.processed_at, reopened_at = undone.reopened_at, updated_at = now()
    from undone
    where event.id = undone.event_id
  ),
  audited as (
    insert into public.dlq_audit_events (event_id, audit_id) select event_id, undo from undone
  ),
  recorded as (
    -- By key: without statistics about a new action, the planner would join it with all of its events.
    update public.dlq_audit_events set undone_by = undo
    where audit_id = audit and event_id = any (array(select event_id from undone))
  )
  select count(*)::int, array_agg(edit_id) into changed, edits from undone;
  with withdrawn as (
    delete from public.dlq_events as event where id = any (edits) returning event
  )
  insert into public.dlq_events_archive
  select archived.*
  from withdrawn
  cross join lateral jsonb_populate_record(null::public.dlq_events_archive, to_jsonb(event)
    || '{"status": "DISCARDED", "is_open": false, "is_blocking": false}'
    || jsonb_build_object('processed_at', now())) as archived;
  return changed;
end
$$;
