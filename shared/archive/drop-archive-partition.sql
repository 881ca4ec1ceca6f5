-- Detaches a month from the archive if it still has :events events; null for any number.
select dlq_drop_archive_partition(:month::date, :events) as is_dropped;
