-- Search by id: each event has hashes of the values in it that look like ids, so that a search for an order id
-- probes an index, whichever field, error or payload has it.
alter table dlq_events add column id_hashes integer[];
alter table dlq_events_archive add column id_hashes integer[];

comment on column dlq_events.id_hashes is 'Hashes of up to 12 values that look like ids: of its event id, key, trace, error, headers and payload.';

-- The values in a text that look like ids: 6 to 64 letters, digits, hyphens and underscores, three digits at
-- least, such as UUIDs, ULIDs, ORD-10231 and long numbers. Dates, times, fractions and seconds since 1970 are
-- none. An escape of JSON is not part of a value. shared/message/list-ids.ts has the same for captures.
create function dlq_list_ids(said text) returns text[] language sql immutable parallel safe
return array(
  select id
  from (
    select lower(btrim(run[1], '._-')) as id, min(place) as first
    from regexp_matches(said, '\\(?:u....|.)|\.?[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]*', 'g')
      with ordinality as found (run, place)
    where run[1] !~ '^(\\|\.[0-9]+$)'
    group by 1
  ) as runs
  where length(id) between 6 and 64 and regexp_count(id, '[0-9]') >= 3 and id !~ ('^(\d{4}-\d\d-\d\d(t.*)?|'
    '(19|20)\d\d(0[1-9]|1[0-2])[0-3]\d(t\d+z?)?|1[4-9]\d{8}(\d{3}){0,3})$')
  order by first limit 12
);

-- The hash of a value in an event with this id: 18 bits of the value, below the half million ids that the
-- event's is one of, up to 256 of them. Captures therefore write to one part of the index, which stays in
-- memory, and the keys of the index are bounded, because GIN never deletes one. Readers compare the value
-- itself: in five million events about a hundred share a hash.
create function dlq_id_hash(id bigint, value text) returns integer language sql immutable parallel safe
return ((id >> 19 & 255) << 18)::integer | (hashtext(value) & 262143);

create function dlq_id_hashes(id bigint, ids text[]) returns integer[] language sql immutable parallel safe
return case when ids is not null then array(select distinct dlq_id_hash(id, value) from unnest(ids) as value) end;

-- All hashes that a value has in any event.
create function dlq_search_hashes(value text) returns integer[] language sql immutable parallel safe
return array(select dlq_id_hash(part << 19, value) from generate_series(0::bigint, 255) as part);

create function dlq_hash_ids() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- The capture function lists the ids of its events.
  if tg_op = 'UPDATE' or new.id_hashes is null then
    new.id_hashes := public.dlq_id_hashes(new.id, public.dlq_list_ids(concat_ws(' ', new.event_id, new.source_key,
      new.trace_id, left(new.error_reason, 32768), left(new.headers::text, 32768),
      case when new.payload_encoding <> 'base64' then left(new.payload::text, 32768) end)));
  end if;
  return new;
end
$$;

create trigger dlq_events_hash_ids
before insert or update of event_id, source_key, trace_id, headers, payload on dlq_events
for each row execute function dlq_hash_ids();
-- Apart, because each settlement names the reason.
create trigger dlq_events_hash_ids_of_reason before update of error_reason on dlq_events
for each row when (new.error_reason is distinct from old.error_reason) execute function dlq_hash_ids();

create index dlq_events_id_hashes on dlq_events using gin (id_hashes);
create index dlq_events_archive_id_hashes on dlq_events_archive using gin (id_hashes);

revoke execute on function dlq_list_ids, dlq_id_hash, dlq_id_hashes, dlq_search_hashes, dlq_hash_ids from public;
grant execute on function dlq_search_hashes, dlq_id_hash to dlq_replay, dlq_console, dlq_readonly;
