-- Drops a month of the archive, with all that is in it.
select dlq_drop_archive_partition(:month::date) as "isDropped";
