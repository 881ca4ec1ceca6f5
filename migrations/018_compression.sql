-- lz4 gives up on a message that does not compress: at 1 MB it takes a quarter of the time of pglz
-- (bench/capture-rate/results.md). Some servers are built without it.
do $$
begin
  if (select 'lz4' = any (enumvals) from pg_settings where name = 'default_toast_compression') then
    alter table dlq_events alter payload set compression lz4, alter body set compression lz4;
    alter table dlq_captures alter body set compression lz4;
  end if;
end
$$;
