-- Stores captures by the function that dlq_capture() calls, too. Returns one row per event.
select id, event_key, is_new
from dlq_capture_events(:captures, :maxRecurrences);
