-- Detaches a month of the archive if it still has :events events, null for any number; or deletes a page of a
-- detached one. Returns the position of the next page.
select dlq_drop_archive_month(:month::date, :events, :afterId, :limit) as next_id;
