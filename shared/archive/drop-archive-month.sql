-- Detaches a month of the archive if the digests of its events still sum to :exported, null for any; or
-- deletes a page of a detached one. Returns the position of the next page.
select dlq_drop_archive_month(:month::date, :exported, :afterId, :limit) as next_id;
