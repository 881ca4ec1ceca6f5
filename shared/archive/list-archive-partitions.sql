-- The months of the archive that ended before :before, oldest first, from the names of its partitions.
select to_date(right(partition.relname, 7), 'YYYY_MM')::text as month
from pg_inherits
join pg_class as partition on partition.oid = pg_inherits.inhrelid
where pg_inherits.inhparent = 'dlq_events_archive'::regclass
  and partition.relname ~ '^dlq_events_archive_\d{4}_\d{2}$'
  and to_date(right(partition.relname, 7), 'YYYY_MM') + interval '1 month' <= :before::timestamptz
order by month;
