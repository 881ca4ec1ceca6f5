-- The next events that an action changed and no undo has returned, in order of id.
select event_id as id from dlq_audit_events
where audit_id = :auditId and event_id > :after and status is not null and undone_by is null
order by event_id
limit :max;
