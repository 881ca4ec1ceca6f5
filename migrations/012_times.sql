-- Events by time. A list that is asked for a time is in its order, the latest first, so that a page of any period is read
-- from an index, however long ago that was. By id, which is what the planner did, it read everything that came later.

-- The archive is asked the same, and for keys. Nobody waits while these are built, but who archives.
create index dlq_events_archive_failed_at on dlq_events_archive (last_failure_at);
create index dlq_events_archive_created_at on dlq_events_archive (created_at);
create index dlq_events_archive_source_key on dlq_events_archive (source_key, id) where source_key is not null;

-- Captures wait while these are, 6 seconds with 5 million events; reading goes on until the old ones are dropped, at the end.
-- The type is in the first, as failures of one type within a day are the question that people ask most: they are counted
-- without a look at any event.
create index dlq_events_failed_at_and_type on dlq_events (last_failure_at, event_type);
create index dlq_events_created_at_each on dlq_events (created_at);

drop index dlq_events_failed_at;
drop index dlq_events_created_at;
alter index dlq_events_failed_at_and_type rename to dlq_events_failed_at;
alter index dlq_events_created_at_each rename to dlq_events_created_at;
