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

-- State: plain SQL that claims or settles sets no lease, or does not record it, and counts no delivery. It
-- opens a closed event again by the status alone.
--
-- Names: an index entry has at most 2,700 bytes. A longer name is its first 200 characters and a digest, and
-- whole in metadata.ignored.
--
-- Message: plain SQL that changes a payload changes the message: a string stays the text or the base64 that
-- it was, all else is JSON, in UTF-8. The bytes before the first change are kept as those of the original.
--
-- Type: the one before is kept: failures of an event count under its first type.
--
-- Reason: that of the first capture is kept before another replaces it, once; other reasons are in
-- dlq_captures and dlq_attempts. A reason that plain SQL changes, such as the settlement of the articles, has
-- no class, stack trace or fingerprint of the reason before; a class that is set together with a stack trace
-- stays.
create function dlq_complete_event() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  is_plain constant boolean := current_setting('dlo.writes_complete_rows', true) is distinct from 'on';
  is_edited constant boolean := tg_op = 'UPDATE' and is_plain and new.payload is distinct from old.payload;
  has_other_reason constant boolean := tg_op = 'UPDATE' and new.error_reason <> old.error_reason;
  ids constant text[] := array[new.event_id, new.source_key, new.trace_id];
begin
  if (new.status = any ('{PENDING,PROCESSING,SUCCEEDED,FAILED_PERMANENTLY,DISCARDED}')) is not true then
    raise exception 'dlq_events.status: % is not one of PENDING, PROCESSING, SUCCEEDED, '
      'FAILED_PERMANENTLY, DISCARDED', quote_nullable(new.status) using errcode = 'check_violation';
  elsif tg_op = 'UPDATE' and new.id <> old.id then
    raise exception 'dlq_events.id: event % keeps its id: its attempts, captures and audit have it', old.id
      using errcode = 'check_violation', hint = 'INSERT a row with the other id, and DELETE this one.';
  elsif new.status = 'PROCESSING' then
    new.lease_token := coalesce(new.lease_token, gen_random_uuid());
    new.lease_expires_at := coalesce(new.lease_expires_at, now() + interval '5 minutes');
    insert into public.dlq_leases (token, event_ids, seconds)
    select new.lease_token, array[new.id], greatest(0, extract(epoch from new.lease_expires_at - now()))
    where not exists (
      select from public.dlq_leases where token = new.lease_token and new.id = any (event_ids));
    new.delivery_count := greatest(new.delivery_count, coalesce(old.delivery_count, 0) + found::integer);
  else
    if new.status = 'SUCCEEDED' then
      -- What its consumer reports from now on is a failure of this delivery.
      new.delivery_count := greatest(new.delivery_count, new.failed_delivery + 1);
    elsif new.lease_token is not null then
      new.failed_delivery := new.delivery_count;
    end if;
    new.lease_token := null;
    new.lease_expires_at := null;
  end if;
  if new.status = 'PENDING' and new.processed_at is not null and old.processed_at is not null then
    new.reopened_at := now();
    new.cause := null;
    new.retry_after := case when new.retry_after in ('infinity', old.retry_after)
      then least(new.retry_after, now()) else new.retry_after end;
  end if;
  new.processed_at := case
    when new.status not in ('PENDING', 'PROCESSING') then coalesce(new.processed_at, now()) end;
  if greatest(length(new.event_key), length(new.event_type), length(new.consumer_group),
      length(new.source_subscription)) > 600 then
    new := (select jsonb_populate_record(new, jsonb_object_agg(name, left(whole, 200) || '~' || md5(whole))
        || jsonb_build_object('metadata', coalesce(new.metadata, '{}') || jsonb_build_object('ignored',
          coalesce(new.metadata -> 'ignored', '{}') || jsonb_object_agg(name, whole))))
      from jsonb_each_text(to_jsonb(new)) as said (name, whole) where length(whole) > 600
        and name in ('event_key', 'event_type', 'consumer_group', 'source_subscription'));
  end if;
  if is_edited or has_other_reason or is_plain and new.event_type <> old.event_type then
    insert into public.dlq_captures (event_id, failure, is_original, is_report, facts, body)
    select old.id, 1, true, is_edited and old.is_exact is false, said, body
    from (
      select jsonb_build_object('payload', old.payload, 'headers', old.headers) || jsonb_strip_nulls(
        jsonb_build_object('payload_encoding', old.payload_encoding, 'printed_as', old.printed_as,
          'content_type', old.content_type)), old.body
      where is_edited and (old.is_exact is distinct from false or not exists (
        select from public.dlq_captures where event_id = old.id and is_original and facts ? 'payload'))
      union all select jsonb_build_object('event_type', old.event_type), null
      where new.event_type <> old.event_type
      union all select reason, null
      from jsonb_strip_nulls(jsonb_build_object('error_reason', old.error_reason,
        'error_class', old.error_class, 'error_stacktrace', old.error_stacktrace)) as reason
      where has_other_reason and old.error_reason <> 'not reported' and not exists (
        select from public.dlq_captures
        where event_id = old.id and (is_original and facts ? 'error_reason' or facts @> reason)
      ) and not exists (select from public.dlq_attempts where event_id = old.id and error = old.error_reason)
    ) as replaced (said, body);
  end if;
  if is_edited then
    new.is_exact := false;
    new.headers := new.headers - 'content-encoding';
    new.printed_as := null;
    new.body := nullif(new.body, old.body);
    new.payload_encoding := case when new.body is not null or jsonb_typeof(new.payload) = 'string' and (
        new.payload_encoding = 'text' or new.payload_encoding = 'base64'
        and new.payload #>> '{}' ~ '^(?=(.{4})*$)[A-Za-z0-9+/]*={0,2}$')
      then new.payload_encoding else 'json' end;
    new.content_type := case when new.body is null and new.payload_encoding <> 'base64' then regexp_replace(
      new.content_type, ';\s*charset=(?!"?utf-8)[^;]*', '; charset=utf-8', 'i') else new.content_type end;
  end if;
  if has_other_reason and is_plain then
    new.error_stacktrace := nullif(new.error_stacktrace, old.error_stacktrace);
    if new.error_stacktrace is null then new.error_class := nullif(new.error_class, old.error_class); end if;
    new.fingerprint := nullif(new.fingerprint, old.fingerprint);
  end if;
  if new.id_hashes is null or is_edited or has_other_reason
      or ids <> array[old.event_id, old.source_key, old.trace_id] then
    new.id_hashes := public.dlq_hash_ids(new.id, ids, concat_ws(' ', left(new.error_reason, 32768),
      case when new.payload_encoding <> 'base64' then left(new.payload::text, 32768) end,
      left(new.headers::text, 32768)));
  end if;
  return new;
end
$$;

create trigger dlq_events_complete before insert or update of id, status, payload, error_reason, event_id,
  source_key, trace_id, id_hashes, event_key, event_type, consumer_group, source_subscription on dlq_events
for each row when (
  current_setting('dlo.writes_complete_rows', true) is distinct from 'on' or new.id_hashes is null
  or num_nonnulls(new.lease_token, new.lease_expires_at, new.processed_at)
    <> case new.status when 'PENDING' then 0 when 'PROCESSING' then 2 else 1 end)
execute function dlq_complete_event();
