type Sql = (text: string) => Promise<readonly Record<string, unknown>[]>;

/**
 * Empties a database as far as tests fill one: rows, sequences and statistics. Sessions end, but for idle ones that are
 * named `test`.
 */
export async function emptyDatabase(sql: Sql): Promise<void> {
  await sql(endOtherSessions);
  await sql(truncateTables);
  await sql(forgetStatistics);
}

/** The session of a process that was killed may still hold locks. */
const endOtherSessions = `
  select pg_terminate_backend(pid, 60000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and (state <> 'idle' or application_name <> 'test')`;

/** Returns a text that differs after a change of the schema, the rights or the settings of a database. */
export async function readCatalog(sql: Sql): Promise<string> {
  const [row] = await sql(`
    select concat_ws(' ', ${writtenCatalogs.map((name) => `(select sum(xmin::text::bigint) from ${name})`)},
      (select sum(hashtext(concat_ws(' ', oid, relname, relowner, relacl, reloptions, relrowsecurity))) from pg_class),
      (select sum(hashtext(concat_ws(' ', nspname, nspowner, nspacl))) from pg_namespace where nspname !~ '^pg_'),
      (select concat(datdba, datacl, setting.setconfig) from pg_database database
       left join pg_db_role_setting setting on setdatabase = database.oid
       where datname = current_database())) as catalog`);
  return `${row?.catalog}`;
}

/** A row that was written later has another xmin. */
const writtenCatalogs = [
  'pg_attribute',
  'pg_proc',
  'pg_constraint',
  'pg_index',
  'pg_trigger',
  'pg_policy',
  'pg_rewrite',
  'pg_default_acl',
];

const truncateTables = `
  do $$
  declare
    each record;
    is_filled boolean;
    filled text[] := '{}';
  begin
    for each in
      select oid::regclass::text as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'dlq_migrations'
    loop
      execute format('select exists (select from %s)', each.name) into is_filled;
      if is_filled then filled := filled || each.name; end if;
    end loop;
    if cardinality(filled) > 0 then
      execute format('truncate %s restart identity cascade', array_to_string(filled, ', '));
    end if;
    perform setval(format('%I.%I', schemaname, sequencename), start_value, false) from pg_sequences
    where last_value is not null and sequencename !~ 'migrations';
  end $$`;

/** Plans depend on what was analyzed, and tests read counters. */
const forgetStatistics = `
  delete from pg_statistic where starelid >= 16384;
  select pg_stat_reset()`;
