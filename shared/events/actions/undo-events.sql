-- Undoes some events of an action.
select dlq_undo_events(:auditId::bigint, :undoId::bigint, :ids::bigint[]) as changed;
