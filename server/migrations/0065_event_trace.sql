-- The trace of the request that wrote an event (W3C Trace Context), so that its webhooks continue it. Null without tracing.
-- The statement that writes the event need not know: the service sets it for the transaction (ADR 0088).
alter table webhook_event add column traceparent text default nullif(current_setting('pestle.traceparent', true), '');
