-- The whole stack traces of an event, also from the archive.
select error_stacktrace as latest, first_error_stacktrace as first from dlq_events where id = :id
union all
select error_stacktrace, first_error_stacktrace from dlq_events_archive where id = :id
limit 1;
