-- Sets the role dlq_owner for the session. It owns the schema, so that each deploying login can change what another one created; it can
-- neither log in nor create roles. Creates the role if it is missing, and gives it the objects that a login created for itself. The
-- lock ends with the session; other databases of the server may be running the same statement.
select pg_advisory_lock(hashtext('dlq_owner'));

do $$
declare
  handover record;
begin
  if not exists (select from pg_roles where rolname = 'dlq_owner') then
    -- On Cloud SQL only the role cloudsqlsuperuser may create roles, and its members must set it.
    if exists (select from pg_roles where rolname = 'cloudsqlsuperuser' and pg_has_role(oid, 'set')) then
      set local role cloudsqlsuperuser;
    end if;
    begin
      create role dlq_owner nologin;
    exception when duplicate_object or unique_violation then null;
    end;
    if not pg_has_role('dlq_owner', 'set') then
      grant dlq_owner to current_user;
    end if;
    reset role;
  end if;
  if not has_schema_privilege('dlq_owner', 'public', 'create') then
    grant usage, create on schema public to dlq_owner;
  end if;
  for handover in
    select format('alter %s %s owner to dlq_owner',
      case relkind when 'v' then 'view' when 'S' then 'sequence' when 'c' then 'type' else 'table' end, pg_class.oid::regclass) as sql
    from pg_class
    where relnamespace = 'public'::regnamespace and starts_with(relname, 'dlq_') and relkind in ('r', 'p', 'v', 'S', 'c')
      and relowner <> 'dlq_owner'::regrole
      -- The sequence of a column changes its owner with the table.
      and not exists (select from pg_depend where objid = pg_class.oid and deptype in ('a', 'i') and relkind = 'S')
    union all
    select format('alter routine %s owner to dlq_owner', oid::regprocedure)
    from pg_proc
    where pronamespace = 'public'::regnamespace and starts_with(proname, 'dlq_') and proowner <> 'dlq_owner'::regrole
  loop
    execute handover.sql;
  end loop;
end
$$;

set role dlq_owner;
