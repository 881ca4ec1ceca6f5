-- Stores captures. Returns one row per capture, with its place from 1.
select place, id, is_new, conflicts_with
from dlq_capture_events(:captures, :bodies, :repeatSeconds);
