-- Creates the missing partitions, up to :ahead months ahead. Returns their names.
select name from dlq_create_archive_partitions(:ahead) as name;
