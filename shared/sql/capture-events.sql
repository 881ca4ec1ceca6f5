-- Stores captures as migrations/005_capture.sql says, for capture in SQL as well. Returns one row for each event.
select id, event_key, is_new
from dlq_capture_events(:captures, :maxReturns);
