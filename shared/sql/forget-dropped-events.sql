-- Forgets a page of what was taken out of the archive. Returns from where the next goes on; null when nothing is left.
select dlq_forget_dropped_events(:afterId, :limit) as "lastId";
