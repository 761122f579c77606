-- The trace that an attempt belongs to (W3C Trace Context), so that the gateway adds to it what the runner does. Null: it is not traced.
ALTER TABLE turn_attempt ADD COLUMN traceparent text;
