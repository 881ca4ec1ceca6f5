-- Archives no event: fails if the database is read-only, or if another session keeps the table locked for
-- half a second.
do $$
begin
  perform set_config('lock_timeout', '500ms', true);
  delete from dlq_events where false;
end
$$;
