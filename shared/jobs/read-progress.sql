-- Where the next call of a job goes on.
select progress from dlq_jobs where name = :name;
