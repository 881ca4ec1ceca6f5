type Sql = (text: string) => Promise<readonly Record<string, unknown>[]>;

/**
 * Empties a database as far as tests fill one: rows, sequences and statistics. Sessions end, but for idle
 * ones that are named `test`.
 */
export async function emptyDatabase(sql: Sql): Promise<void> {
  await sql(endOtherSessions);
  await sql(emptyTables);
  await sql(forgetStatistics);
}

/**
 * The session of a process that was killed may still hold locks. One that is being opened has no state yet,
 * nor its name.
 */
const endOtherSessions = `
  select pg_terminate_backend(pid, 60000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and state is not null
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

const ofProduct = `relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'dlq_migrations'`;
const isLarge = `(reltuples >= 0 or pg_relation_size(oid) >= 10 * 8192 or pg_table_size(oid) > 1e6)`;

/**
 * Truncating takes new files for a table, its indexes and its TOAST table, and costs all sessions their plans.
 * It is only for a table that the planner would tell from an empty one: one that was analyzed, or has ten pages.
 * VACUUM keeps a few dead rows, and their pages are not all-visible, unless its index_cleanup is on.
 */
const emptyTables = `
  do $$
  declare
    large text;
    small regclass;
  begin
    set local session_replication_role = replica;
    select string_agg(oid::regclass::text, ', ') into large from pg_class where ${ofProduct} and ${isLarge};
    if large is not null then execute format('truncate %s cascade', large); end if;
    for small in select oid from pg_class where ${ofProduct} and pg_relation_size(oid) > 0 loop
      execute format('delete from %s', small);
    end loop;
    perform setval(format('%I.%I', schemaname, sequencename), start_value, false) from pg_sequences
    where last_value is not null and sequencename !~ 'migrations';
  end $$`;

/** Plans depend on what was analyzed, and tests read counters. */
const forgetStatistics = `
  delete from pg_statistic where starelid >= 16384;
  select pg_stat_reset()`;

/** Deletes the rows of tables, or of all. */
export async function clearTables(sql: Sql, tables: readonly string[]): Promise<void> {
  const wanted = tables.length > 0 ? `relname in (${tables.map((name) => `'${name}'`)})` : ofProduct;
  await sql(`
    do $$
    declare each regclass;
    begin
      set local session_replication_role = replica;
      for each in select oid from pg_class where ${wanted} loop
        execute format('delete from %s', each);
      end loop;
    end $$`);
}
