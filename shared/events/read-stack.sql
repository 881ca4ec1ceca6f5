-- The whole stack trace of an event, also from the archive.
select error_stacktrace as stack from dlq_events where id = :id
union all
select error_stacktrace from dlq_events_archive where id = :id
limit 1;
