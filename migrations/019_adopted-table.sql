-- A table of the articles may have had the name dlq_events: docs/adopt/dlq_events.sql renamed it. The ids of
-- its rows stay free for their copies, and its logins keep their rights on the name, so that they go on
-- writing.
do $$
declare
  highest bigint;
  granted record;
begin
  if to_regclass('public.adopted_dlq_events') is null then
    return;
  end if;
  select coalesce(max(id), 0) into highest from public.adopted_dlq_events;
  if to_regclass('public.adopted_dlq_events_archive') is not null then
    select greatest(highest, max(id)) into highest from public.adopted_dlq_events_archive;
  end if;
  perform setval(pg_get_serial_sequence('public.dlq_events', 'id'), highest + 1, false);
  for granted in
    select
      privilege_type as privilege,
      case grantee when 0 then 'public' else grantee::regrole::text end as login
    from pg_class
    cross join aclexplode(coalesce(relacl, acldefault('r', relowner)))
    where oid = 'public.adopted_dlq_events'::regclass
      and privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
      and grantee is distinct from to_regrole('dlq_owner')
  loop
    execute format('grant %s on public.dlq_events to %s', granted.privilege, granted.login);
  end loop;
end
$$;
