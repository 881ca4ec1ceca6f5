-- Captures no event: writes nothing, and fails if the database is read-only, or if another session keeps the
-- table locked for half a second.
do $$
begin
  perform set_config('lock_timeout', '500ms', true);
  perform from dlq_capture_events(captures => '[]', bodies => '', repeat_seconds => 0);
end
$$;
