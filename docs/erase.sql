-- Erases what is known of one person: docs/operate.md says when and how. Run it as the owner of the tables, in a
-- session with the settings dlo.person and dlo.reason. It counts; with dlo.confirm = yes it erases.
--
-- An event, or a capture of it, that has the text anywhere is deleted with all that belongs to it, in dlq_events and
-- in the archive. In every other text column of the tables, the text becomes (erased): answers, the audit, the
-- requests of replays, titles of errors. Upper and lower case are the same.
do $$
declare
  person    constant text := lower(current_setting('dlo.person'));
  reason    constant text := current_setting('dlo.reason');
  confirmed constant boolean := coalesce(current_setting('dlo.confirm', true) = 'yes', false);
  -- As a text in JSON, and as bytes that are no text: encode(..., 'escape') prints ASCII as it is.
  in_json   constant text := (select substr(printed, 2, length(printed) - 2) from (select to_json(person)::text) as json (printed));
  in_bytes  constant text[] := array(
    select lower(encode(convert_to(form, 'UTF8'), 'escape'))
    from unnest(array[current_setting('dlo.person'), person, upper(person)]) as form);
  ids       bigint[];
  opened    bigint;
  place     record;
  found     bigint;
begin
  if length(trim(person)) < 4 then
    raise exception 'dlo.person = "%" is too short: give at least four characters.', person;
  end if;
  select array_agg(distinct id) into ids
  from (
    select id, to_jsonb(event) - 'body' as columns, body, payload_encoding, payload from dlq_events as event
    union all
    select id, to_jsonb(event) - 'body', body, payload_encoding, payload from dlq_events_archive as event
    union all
    select event_id, to_jsonb(capture) - 'body', body, facts ->> 'payload_encoding', facts -> 'payload'
    from dlq_captures as capture
  ) as message
  cross join lateral (
    select coalesce(body, case payload_encoding when 'base64' then decode(payload #>> '{}', 'base64') end) as bytes
  ) as sent
  -- Without a collation, convert_from() has that of the name of its encoding, "C".
  where strpos(lower(columns::text), in_json) > 0
    or case when pg_input_is_valid(bytes::text, 'dlq_utf8')
      then strpos(lower(convert_from(bytes, 'UTF8') collate "default"), person) > 0
      else exists (select from unnest(in_bytes) as form where strpos(lower(encode(bytes, 'escape')), form) > 0) end;
  select count(*) into opened from dlq_events where id = any (ids) and is_open;
  raise notice '% events have the text, % of them open.', coalesce(cardinality(ids), 0), opened;

  if confirmed then
    delete from dlq_events where id = any (ids);
    delete from dlq_events_archive where id = any (ids);
    delete from dlq_captures where event_id = any (ids);
    delete from dlq_attempts where event_id = any (ids);
  end if;
  for place in
    select columns.table_name, column_name, coalesce(domain_name, udt_name)::text as type
    from information_schema.columns as columns
    join information_schema.tables as tables using (table_schema, table_name)
    where table_schema = 'public' and table_name like 'dlq\_%' and table_type = 'BASE TABLE'
      and udt_name in ('text', 'jsonb', '_text') and is_generated = 'NEVER' and table_name not like 'dlq\_events%'
    order by 1, 2
  loop
    execute format(
      case when confirmed then 'update %1$I set %2$I = regexp_replace(%2$I::text, $1, ''(erased)'', ''gi'')::%3$s
        where strpos(lower(%2$I::text), $2) > 0'
      else 'select from %1$I where strpos(lower(%2$I::text), $2) > 0' end,
      place.table_name, place.column_name, place.type)
    -- "***=" makes the rest of a pattern literal.
    using '***=' || case place.type when 'jsonb' then in_json else person end,
      case place.type when 'jsonb' then in_json else person end;
    get diagnostics found = row_count;
    if found > 0 then
      raise notice '% rows of %.% have it, beside those of the events.', found, place.table_name, place.column_name;
    end if;
  end loop;

  if confirmed then
    insert into dlq_audit (actor, action, reason, details)
    values (session_user, 'erase', reason, jsonb_build_object('changed', coalesce(cardinality(ids), 0)));
    raise notice 'Erased.';
  else
    raise notice 'Nothing was changed: set dlo.confirm = yes to erase.';
  end if;
end
$$;
