-- Undoes the next events of an action.
select last, changed from dlq_undo_events(:auditId::bigint, :undoId::bigint, :after::bigint, :max::int);
