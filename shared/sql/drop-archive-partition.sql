-- Takes a month out of the archive, if it has :events still; null: whatever it has.
select dlq_drop_archive_partition(:month::date, :events) as "isDropped";
