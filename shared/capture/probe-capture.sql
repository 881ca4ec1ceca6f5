-- Captures an event and takes it back: ends with the error DLO01 if it could have been stored. A session that
-- keeps the table locked is waited for half a second.
do $$
begin
  perform set_config('lock_timeout', '500ms', true);
  perform dlq_capture(event_type => 'health', payload => 'null');
  raise exception 'An event could be stored.' using errcode = 'DLO01';
end
$$;
