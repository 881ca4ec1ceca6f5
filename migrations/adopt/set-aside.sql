-- Renames the old table, its indexes and its sequences: the new table needs their names.
do $$
declare
  relation record;
begin
  alter table dlq_events rename to dlq_events_adopted;
  for relation in
    select relname, relkind
    from pg_class
    where oid in (
      select indexrelid from pg_index where indrelid = 'dlq_events_adopted'::regclass
      union all
      select objid from pg_depend where refobjid = 'dlq_events_adopted'::regclass and deptype in ('a', 'i')
    ) and relkind in ('i', 'S')
  loop
    execute format(
      'alter %s %I rename to %I', case relation.relkind when 'i' then 'index' else 'sequence' end,
      relation.relname, left(relation.relname, 55) || '_adopted');
  end loop;
end
$$;
