-- How many events of an action its undo returns to their state, and leaves for which reason.
select reason, count(*)::int as events from dlq_undoable where audit_id = :auditId::bigint group by reason;
