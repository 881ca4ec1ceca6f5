-- The months of the archive before this one and :retainMonths more, oldest first, from the names of its
-- partitions. `used_by`: what a team has built on a month, such as a view, which keeps it.
select to_date(right(partition.relname, 7), 'YYYY_MM')::text as month, (
    select string_agg(distinct pg_describe_object(classid, objid, objsubid), ', ')
    from pg_depend where refobjid in (partition.oid, partition.reltype) and deptype = 'n'
  ) as used_by
from pg_inherits
join pg_class as partition on partition.oid = pg_inherits.inhrelid
where pg_inherits.inhparent = 'dlq_events_archive'::regclass
  and partition.relname ~ '^dlq_events_archive_\d{4}_\d{2}$'
  and to_date(right(partition.relname, 7), 'YYYY_MM')
    < date_trunc('month', now() at time zone 'UTC') - make_interval(months => :retainMonths::int)
order by month;
