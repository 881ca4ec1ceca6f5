-- Plain SQL, such as that of the articles: triggers complete what it leaves out.

-- Plain SQL that claims or settles sets no lease, and counts no delivery. This trigger completes its rows;
-- the product's own statements write complete rows, so that they pay for the condition only. It runs as the
-- owner: no role needs the right to record leases.
create function dlq_complete_state() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  if (new.status in ('PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED')) is not true then
    raise exception 'dlq_events.status: % is not one of PENDING, PROCESSING, SUCCEEDED, FAILED_PERMANENTLY, DISCARDED',
      coalesce(quote_literal(new.status), 'NULL') using errcode = 'check_violation';
  end if;
  if new.status = 'PROCESSING' then
    if tg_op = 'UPDATE' and new.lease_token is null then
      new.delivery_count := new.delivery_count + 1;
    end if;
    new.lease_token := coalesce(new.lease_token, gen_random_uuid());
    new.lease_expires_at := coalesce(new.lease_expires_at, now() + interval '5 minutes');
    insert into public.dlq_leases (token, event_ids, seconds)
    values (new.lease_token, array[new.id], greatest(0, extract(epoch from new.lease_expires_at - now())))
    on conflict (token) do nothing;
  else
    if new.lease_token is not null and new.status <> 'SUCCEEDED' then
      new.failed_delivery := new.delivery_count;
    end if;
    new.lease_token := null;
    new.lease_expires_at := null;
  end if;
  -- What its consumer reports from now on is a failure of this delivery.
  if new.status = 'SUCCEEDED' and new.failed_delivery = new.delivery_count then
    new.delivery_count := new.delivery_count + 1;
  end if;
  if new.status in ('SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED') then
    new.processed_at := coalesce(new.processed_at, now());
  else
    -- Plain SQL opens it again.
    if tg_op = 'UPDATE' and new.status = 'PENDING' and old.processed_at is not null then
      new.reopened_at := now();
      new.cause := null;
      new.retry_after := case when new.retry_after in ('infinity', old.retry_after) then least(new.retry_after, now())
        else new.retry_after end;
    end if;
    new.processed_at := null;
  end if;
  return new;
end
$$;

create trigger dlq_events_complete_state before insert or update of status on dlq_events
for each row when (
  (new.status = 'PROCESSING') <> (new.lease_token is not null)
  or (new.lease_token is null) <> (new.lease_expires_at is null)
  or (new.status in ('SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED')) <> (new.processed_at is not null)
  or new.status = 'SUCCEEDED' and new.failed_delivery = new.delivery_count
  or (new.status in ('PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED')) is not true)
execute function dlq_complete_state();

-- Keeps the reason of the first capture before another replaces it, once; other reasons are in dlq_captures
-- and dlq_attempts.
create function dlq_keep_reason(event dlq_events) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.dlq_captures (event_id, failure, is_original, facts)
  select event.id, 1, true, said
  from jsonb_strip_nulls(jsonb_build_object('error_reason', event.error_reason,
    'error_class', event.error_class, 'error_stacktrace', event.error_stacktrace)) as said
  where event.error_reason <> 'not reported' and not exists (
    select from public.dlq_captures as later
    where later.event_id = event.id and (is_original and facts ? 'error_reason' or facts @> said)
  ) and not exists (
    select from public.dlq_attempts as attempt where attempt.event_id = event.id and error = event.error_reason
  );
end
$$;

-- Plain SQL that changes a payload changes the message: a string stays the text or the base64 that it was,
-- all else is JSON. The bytes before the first change are kept as those of the original. A reason that plain
-- SQL changes, such as the settlement of the articles, has no class, stack trace or fingerprint of the reason
-- before; a class that is set together with a stack trace stays. Sessions and functions of the product
-- announce that they write complete rows.
create function dlq_keep_original() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.id_hashes := null;
  if new.payload is distinct from old.payload then
    insert into public.dlq_captures (event_id, failure, is_original, is_report, facts, body)
    select old.id, 1, true, old.is_exact is false,
      jsonb_build_object('payload', old.payload) || jsonb_strip_nulls(jsonb_build_object(
        'payload_encoding', old.payload_encoding, 'printed_as', old.printed_as, 'content_type', old.content_type)), old.body
    where old.is_exact is distinct from false or not exists (
      select from public.dlq_captures where event_id = old.id and is_original and facts ? 'payload');
    new.is_exact := false;
    new.headers := new.headers - 'content-encoding';
    new.printed_as := null;
    if new.body is not distinct from old.body then
      new.body := null;
      new.payload_encoding := case
        when jsonb_typeof(new.payload) = 'string' and (new.payload_encoding = 'text' or new.payload_encoding = 'base64'
          and new.payload #>> '{}' ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$') then new.payload_encoding
        else 'json' end;
    end if;
  end if;
  if new.error_reason <> old.error_reason then
    perform public.dlq_keep_reason(old);
    if new.error_stacktrace is not distinct from old.error_stacktrace then
      new.error_stacktrace := null;
      new.error_class := nullif(new.error_class, old.error_class);
    end if;
    new.fingerprint := nullif(new.fingerprint, old.fingerprint);
  end if;
  return new;
end
$$;

create trigger dlq_events_keep_original before update of payload, error_reason on dlq_events
for each row when (current_setting('dlo.writes_complete_rows', true) is distinct from 'on')
execute function dlq_keep_original();
