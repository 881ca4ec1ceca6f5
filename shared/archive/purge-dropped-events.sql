-- Deletes a page of a detached month. Returns the position of the next page; null if nothing is left.
select dlq_purge_dropped_events(:afterId, :limit) as last_id;
