-- Events by time. A list that is asked for a time is in its order, the latest first, so that a page of any period is read
-- from an index, however long ago that was. By id, which is what the planner did, it read everything that came later.
-- Captures wait while these are built, 6 seconds with 5 million events; reading goes on.

-- The type as well: failures of one type within a day are the question that people ask most, and are counted without a
-- look at any event.
create index dlq_events_failed_at_and_type on dlq_events (last_failure_at, event_type);
drop index dlq_events_failed_at;
alter index dlq_events_failed_at_and_type rename to dlq_events_failed_at;

drop index dlq_events_created_at;
create index dlq_events_created_at on dlq_events (created_at);

-- The archive is asked the same, and for keys.
create index dlq_events_archive_failed_at on dlq_events_archive (last_failure_at);
create index dlq_events_archive_created_at on dlq_events_archive (created_at);
create index dlq_events_archive_source_key on dlq_events_archive (source_key, id) where source_key is not null;
