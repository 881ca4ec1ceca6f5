-- Run before every migration. Creates the group roles, and revokes what PostgreSQL grants to every login:
-- temporary tables, and on servers older than 15 new objects in the schema public. A caller could put such
-- objects in the place of the product's. A database with tables of others keeps the right to temporary
-- tables: their logins may need it.
do $$
declare
  wanted text;
  is_shared boolean := exists (
    select from pg_tables
    where not starts_with(tablename, 'dlq_') and schemaname not in ('pg_catalog', 'information_schema'));
begin
  -- One at a time: two grants on one object fail.
  perform pg_advisory_xact_lock(hashtext('dlq_owner'));
  -- On Cloud SQL only the role cloudsqlsuperuser may create roles, and its members must set it.
  if exists (select from pg_roles where rolname = 'cloudsqlsuperuser' and pg_has_role(oid, 'set')) then
    set local role cloudsqlsuperuser;
  end if;
  -- Roles belong to the whole server: another database may have created them, or be creating them now. A
  -- login that may not create roles can migrate if they exist.
  foreach wanted in array array['dlq_capture', 'dlq_reporter', 'dlq_writer', 'dlq_retry', 'dlq_replay', 'dlq_console', 'dlq_maintain', 'dlq_readonly'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin', wanted);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
  end loop;
  -- dlq_maintain shows the age of the oldest transaction of other roles.
  if not pg_has_role('dlq_maintain', 'pg_read_all_stats', 'member') then
    begin
      grant pg_read_all_stats to dlq_maintain;
    exception
      when insufficient_privilege then
        raise notice 'dlq_maintain cannot measure the transactions of other roles. Run: GRANT pg_read_all_stats TO dlq_maintain;';
      when unique_violation then null;
    end;
  end if;
  if not is_shared and has_database_privilege('public', current_database(), 'temporary') then
    execute format('revoke temporary on database %I from public', current_database());
  end if;
  if has_schema_privilege('public', 'public', 'create') then
    revoke create on schema public from public;
  end if;
  if not is_shared and has_database_privilege('public', current_database(), 'temporary')
    or has_schema_privilege('public', 'public', 'create') then
    raise warning 'Every login may create objects in this database. Run as its owner: REVOKE TEMPORARY ON DATABASE % FROM PUBLIC; REVOKE CREATE ON SCHEMA public FROM PUBLIC;',
      quote_ident(current_database()) using errcode = 'DLO01';
  end if;
  reset role;
end
$$;
