-- Gives the new table the grants and the next id of the old one. The former owner keeps the rights of an owner as grants. The
-- grants on the sequence move too, since an application may call nextval() itself.
do $$
declare
  pair record;
  old_sequence text := pg_get_serial_sequence('dlq_events_adopted', 'id');
  new_sequence text := pg_get_serial_sequence('dlq_events', 'id');
  last_id bigint;
begin
  for pair in
    select format(
      'grant %s on %s to %s', privilege_type, new_name, case grantee when 0 then 'public' else grantee::regrole::text end) as sql
    from (
      values ('dlq_events_adopted', 'dlq_events', 'r'::"char"), (old_sequence, new_sequence, 's')
    ) as pairs (old_name, new_name, kind)
    join pg_class on oid = to_regclass(old_name)
    cross join lateral aclexplode(coalesce(relacl, acldefault(kind, relowner)))
    where grantee <> current_user::regrole and privilege_type <> 'MAINTAIN'
  loop
    execute pair.sql;
  end loop;
  select max(id) from dlq_events_adopted into last_id;
  perform setval(new_sequence, coalesce(last_id, 0) + 1, false);
end
$$;
