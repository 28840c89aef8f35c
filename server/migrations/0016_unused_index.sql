-- No statement looks for a stage: the work queues are read by orders_in_queue. Each order wrote it for nothing.
drop index orders_by_stage;
