-- Counts the open events of some lanes.
select count(*)::int as events from dlq_events where is_open and lane = any (:lanes::bigint[]);
