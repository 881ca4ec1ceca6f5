-- Stores captures. Returns one row per capture, in their order.
select id, is_new, conflicts_with from dlq_capture_events(:captures, :bodies, :repeatSeconds) order by place;
