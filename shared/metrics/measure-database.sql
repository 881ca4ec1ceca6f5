-- The size of this database, connections to the whole server, which share one limit, and the age of the
-- oldest transaction here, which holds back vacuum; null if this role may not see sessions of others.
select
  pg_database_size(current_database())::float8 as database_size_bytes,
  (select sum(numbackends) from pg_stat_database)::float8 as database_connections,
  current_setting('max_connections')::float8 as database_max_connections,
  case when pg_has_role('pg_read_all_stats', 'usage') then (
    select coalesce(extract(epoch from now() - min(xact_start)), 0)
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
  ) end::float8 as database_oldest_transaction_seconds;
