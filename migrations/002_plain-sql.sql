-- Ids, as shared/events/hash-ids.ts finds them in captures and in what is searched: its own id, key and
-- trace, of which the first 64 characters count, and texts of 6 to 64 letters, digits, hyphens and
-- underscores with three digits at least, such as UUIDs, ULIDs, ORD-10231 and long numbers. Dates, times,
-- fractions, seconds since 1970 and headers of a trace are none. An escape of JSON is not part of an id. The
-- hash is FNV-1a folded to 16 bits: in five million events up to seven hundred share one, and a search
-- compares the value itself. Before it stands the segment of the event, one of 16, each of 131,072 events in
-- turn. So a hash of a segment has some twenty events, for 5 bytes each in place of 30, captures write to
-- one part of the index, which stays in memory, and the index has a bounded number of keys: GIN deletes
-- none.
create function dlq_hash_ids(event bigint, own text[], said text) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  hashes text := '';
  value text;
  hash bigint;
begin
  for value in
    select lower(left(id, 64) collate "C") from unnest(own) as id where id <> ''
    union all (select id
    from (
      select lower(btrim(run[1], '._-')) as id, min(place) as first
      from regexp_matches(said, E'\\\\(?:u[0-9A-Fa-f]{4}|.)|[.]?[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]*', 'g')
        with ordinality as found (run, place)
      where run[1] !~ E'^(\\\\|[.][0-9]+[-_]*$)'
      group by 1
    ) as runs
    where length(id) between 6 and 64 and regexp_count(id, '[0-9]') >= 3 and id !~ (
      '^([0-9]{4}-[0-9]{2}-[0-9]{2}(t.*)?|(19|20)[0-9]{2}(0[1-9]|1[0-2])[0-3][0-9](t[0-9]+z?)?|'
      '1[4-9][0-9]{8}([0-9]{3}){0,3}|00-[0-9a-f]{32}-[0-9a-f]{16}-..)$')
    order by first limit 6)
  loop
    hash := 2166136261;
    for i in 1 .. length(value) loop
      hash := (hash # ascii(substr(value, i, 1))) * 16777619 & 4294967295;
    end loop;
    hashes := hashes || chr((((event >> 17 & 15) + 1) << 16 | ((hash # (hash >> 16)) & 65535))::integer);
  end loop;
  return hashes;
end
$$;

-- Plain SQL, such as that of the articles: a trigger completes what it leaves out. The product's own
-- statements write complete rows, so that they pay for its condition only; sessions and functions of the
-- product announce that. It runs as the owner: no role needs the right to record leases.

-- State: plain SQL that claims or settles sets no lease, or does not record it, and counts no delivery.
--
-- Message: plain SQL that changes a payload changes the message: a string stays the text or the base64 that it
-- was, all else is JSON. The bytes before the first change are kept as those of the original.
--
-- Reason: that of the first capture is kept before another replaces it, once; other reasons are in dlq_captures
-- and dlq_attempts. A reason that plain SQL changes, such as the settlement of the articles, has no class,
-- stack trace or fingerprint of the reason before; a class that is set together with a stack trace stays.
create function dlq_complete_event() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  is_product constant boolean := coalesce(current_setting('dlo.writes_complete_rows', true), '') = 'on';
  closed constant text[] := '{SUCCEEDED,FAILED_PERMANENTLY,DISCARDED}';
begin
  if (new.status = any (closed || '{PENDING,PROCESSING}')) is not true then
    raise exception 'dlq_events.status: % is not one of PENDING, PROCESSING, SUCCEEDED, FAILED_PERMANENTLY, DISCARDED',
      coalesce(quote_literal(new.status), 'NULL') using errcode = 'check_violation';
  end if;
  if new.status = 'PROCESSING' and (not is_product or num_nulls(new.lease_token, new.lease_expires_at) > 0) then
    new.lease_token := coalesce(new.lease_token, gen_random_uuid());
    new.lease_expires_at := coalesce(new.lease_expires_at, now() + interval '5 minutes');
    insert into public.dlq_leases (token, event_ids, seconds)
    select new.lease_token, array[new.id], greatest(0, extract(epoch from new.lease_expires_at - now()))
    where not exists (
      select from public.dlq_leases where token = new.lease_token and new.id = any (event_ids));
    if found then
      new.delivery_count := greatest(new.delivery_count, coalesce(old.delivery_count, 0) + 1);
    end if;
  elsif new.status <> 'PROCESSING' then
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
  if new.status = any (closed) then
    new.processed_at := coalesce(new.processed_at, now());
  elsif new.processed_at is not null then
    -- Plain SQL opens it again.
    if tg_op = 'UPDATE' and new.status = 'PENDING' and old.processed_at is not null then
      new.reopened_at := now();
      new.cause := null;
      new.retry_after := case when new.retry_after in ('infinity', old.retry_after) then least(new.retry_after, now())
        else new.retry_after end;
    end if;
    new.processed_at := null;
  end if;

  if tg_op = 'UPDATE' and not is_product and new.payload is distinct from old.payload then
    insert into public.dlq_captures (event_id, failure, is_original, is_report, facts, body)
    select old.id, 1, true, old.is_exact is false,
      jsonb_build_object('payload', old.payload) || jsonb_strip_nulls(jsonb_build_object(
        'payload_encoding', old.payload_encoding, 'printed_as', old.printed_as, 'content_type', old.content_type)), old.body
    where old.is_exact is distinct from false or not exists (
      select from public.dlq_captures where event_id = old.id and is_original and facts ? 'payload');
    new.is_exact := false;
    new.headers := new.headers - 'content-encoding';
    new.printed_as := null;
    new.id_hashes := null;
    if new.body is not distinct from old.body then
      new.body := null;
      new.payload_encoding := case
        when jsonb_typeof(new.payload) = 'string' and (new.payload_encoding = 'text' or new.payload_encoding = 'base64'
          and new.payload #>> '{}' ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$') then new.payload_encoding
        else 'json' end;
    end if;
  end if;
  if tg_op = 'UPDATE' and new.error_reason <> old.error_reason then
    insert into public.dlq_captures (event_id, failure, is_original, facts)
    select old.id, 1, true, said
    from jsonb_strip_nulls(jsonb_build_object('error_reason', old.error_reason,
      'error_class', old.error_class, 'error_stacktrace', old.error_stacktrace)) as said
    where old.error_reason <> 'not reported' and not exists (
      select from public.dlq_captures
      where event_id = old.id and (is_original and facts ? 'error_reason' or facts @> said)
    ) and not exists (
      select from public.dlq_attempts where event_id = old.id and error = old.error_reason
    );
    new.id_hashes := null;
    if not is_product then
      if new.error_stacktrace is not distinct from old.error_stacktrace then
        new.error_stacktrace := null;
        new.error_class := nullif(new.error_class, old.error_class);
      end if;
      new.fingerprint := nullif(new.fingerprint, old.fingerprint);
    end if;
  end if;

  if new.id_hashes is null or tg_op = 'UPDATE' and not is_product
    and (new.event_id, new.source_key, new.trace_id)
      is distinct from (old.event_id, old.source_key, old.trace_id) then
    new.id_hashes := public.dlq_hash_ids(new.id, array[new.event_id, new.source_key, new.trace_id],
      concat_ws(' ', left(new.error_reason, 32768), case when new.payload_encoding <> 'base64'
        then left(new.payload::text, 32768) end, left(new.headers::text, 32768)));
  end if;
  return new;
end
$$;

create trigger dlq_events_complete before insert or update of status, payload, error_reason, event_id,
  source_key, trace_id, id_hashes on dlq_events
for each row when (
  current_setting('dlo.writes_complete_rows', true) is distinct from 'on' or new.id_hashes is null
  or (new.status = 'PROCESSING') <> (new.lease_token is not null)
  or (new.lease_token is null) <> (new.lease_expires_at is null)
  or (new.status in ('SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED')) <> (new.processed_at is not null)
  or new.status = 'SUCCEEDED' and new.failed_delivery = new.delivery_count
  or (new.status in ('PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED')) is not true)
execute function dlq_complete_event();
