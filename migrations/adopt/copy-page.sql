-- The ids of a page of rows after $1. Rows that a transaction of a consumer has locked are noted for later: a wait for them
-- could be a deadlock. The locks keep a row as it is until its copy is committed.
with page as materialized (
  select id from public.{table} where id > $1 or $1 is null order by id limit $2
),
locked as materialized (
  select id from public.{table} where id in (select id from page) for no key update skip locked
),
later as (
  insert into public.dlq_adoption_pending (name, id)
  select '{table}', id from page where id not in (select id from locked)
)
select
  (select max(id)::text from page) as "lastId", (select count(*)::int from page) as rows,
  pg_current_wal_insert_lsn()::text as lsn,
  array(select id::text from locked) as ids
