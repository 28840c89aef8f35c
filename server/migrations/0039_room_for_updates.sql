-- Rows that change once or more after their insert, in columns that no index has. With free space on the page PostgreSQL
-- writes the new version beside the old one and touches no index. Pages that are full already stay as they are.
alter table prescription set (fillfactor = 85);
alter table webhook_delivery set (fillfactor = 60);
