-- Search by id: each event has hashes of the values in it that look like ids, so that a search for an order
-- id probes an index, whichever error, header or payload has it. shared/events/hash-ids.ts makes the same of
-- captures and of what is searched.
alter table dlq_events add column id_hashes integer[];
alter table dlq_events_archive add column id_hashes integer[];

comment on column dlq_events.id_hashes is
  'Hashes of the first 6 values that look like ids in its trace id, error, payload and headers. Null computes them again.';

-- A hash has 16 bits: in five million events up to a thousand share one, and a search compares the value
-- itself. Before it stands the segment of the event, one of 64, each of 131,072 events in turn. So each
-- hash of a segment has some twenty events, whose index entry takes 5 bytes each in place of 30, captures
-- write to one part of the index, which stays in memory, and the index has a bounded number of keys: GIN
-- deletes none.
-- Ids are 6 to 64 letters, digits, hyphens and underscores with three digits at least, such as UUIDs, ULIDs,
-- ORD-10231 and long numbers. Dates, times, fractions, seconds since 1970 and headers of a trace are
-- none. An escape of JSON is not part of an id. The hash is FNV-1a folded to 16 bits.
create function dlq_hash_ids() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  value text;
  hash bigint;
begin
  new.id_hashes := '{}';
  for value in
    select id
    from (
      select lower(btrim(run[1], '._-')) as id, min(place) as first
      from concat_ws(' ', new.trace_id, left(new.error_reason, 32768), case when new.payload_encoding <> 'base64'
          then left(new.payload::text, 32768) end, left(new.headers::text, 32768)) as said
      cross join regexp_matches(said, E'\\\\(?:u[0-9A-Fa-f]{4}|.)|[.]?[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]*', 'g')
        with ordinality as found (run, place)
      where run[1] !~ E'^(\\\\|[.][0-9]+[-_]*$)'
      group by 1
    ) as runs
    where length(id) between 6 and 64 and regexp_count(id, '[0-9]') >= 3 and id !~ (
      '^([0-9]{4}-[0-9]{2}-[0-9]{2}(t.*)?|(19|20)[0-9]{2}(0[1-9]|1[0-2])[0-3][0-9](t[0-9]+z?)?|'
      '1[4-9][0-9]{8}([0-9]{3}){0,3}|00-[0-9a-f]{32}-[0-9a-f]{16}-..)$')
    order by first limit 6
  loop
    hash := 2166136261;
    for i in 1 .. length(value) loop
      hash := (hash # ascii(substr(value, i, 1))) * 16777619 & 4294967295;
    end loop;
    new.id_hashes := new.id_hashes || ((new.id >> 17 & 63) << 16 | ((hash # (hash >> 16)) & 65535))::integer;
  end loop;
  return new;
end
$$;

create trigger dlq_events_search_ids before insert or update of payload, error_reason, id_hashes on dlq_events
for each row when (new.id_hashes is null) execute function dlq_hash_ids();

create index dlq_events_id_hashes on dlq_events using gin (id_hashes);
create index dlq_events_archive_id_hashes on dlq_events_archive using gin (id_hashes);

revoke execute on function dlq_hash_ids from public;
