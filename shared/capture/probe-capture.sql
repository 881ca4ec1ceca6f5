-- Inserts an event and takes it back: the statement ends with the error DLO01 if the event could have been stored.
do $$
begin
  insert into dlq_events (event_type, payload) values ('health', 'null');
  raise exception 'An event could be stored.' using errcode = 'DLO01';
end
$$;
