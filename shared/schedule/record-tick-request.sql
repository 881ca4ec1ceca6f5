insert into dlq_audit (actor, action, reason) values (:actor, 'run tick', :reason);
