-- The table that has the name dlq_events: its columns with their types, and the objects that depend on it, which an adoption
-- would leave with the old table.
select
  to_regclass('dlq_events') is not null as exists,
  to_regclass('dlq_migrations') is not null as "isOurs",
  to_regclass('dlq_events_adopted') is not null as "isBegun",
  array(
    select json_build_object('name', attname, 'type', format_type(atttypid, null))
    from pg_attribute
    where attrelid = to_regclass('dlq_events') and attnum > 0 and not attisdropped
    order by attnum
  ) as columns,
  array(
    select format('trigger %I', tgname) from pg_trigger where tgrelid = to_regclass('dlq_events') and not tgisinternal
    union all
    select format('view %s', ev_class::regclass)
    from pg_rewrite
    join pg_depend on pg_depend.objid = pg_rewrite.oid
    where refobjid = to_regclass('dlq_events') and ev_class <> refobjid
    group by ev_class
    union all
    select format('foreign key %I of %s', conname, conrelid::regclass)
    from pg_constraint
    where contype = 'f' and to_regclass('dlq_events') in (conrelid, confrelid)
    union all
    select format('partition or parent %s', case when inhrelid = to_regclass('dlq_events') then inhparent else inhrelid end::regclass)
    from pg_inherits
    where to_regclass('dlq_events') in (inhrelid, inhparent)
    union all
    select format('row security policy %I', polname) from pg_policy where polrelid = to_regclass('dlq_events')
  ) as dependants;
