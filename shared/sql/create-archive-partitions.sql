-- Makes the partitions that are missing, :ahead months into the future.
select name from dlq_create_archive_partitions(:ahead) as name;
