-- Reads no event: fails if the schema is that of another version, or if another session keeps the table
-- locked for half a second. Works on a replica.
do $$
begin
  perform set_config('lock_timeout', '500ms', true);
  perform from dlq_events where false;
end
$$;
