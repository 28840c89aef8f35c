-- When the job notifies the partner that the prescription expires soon, and then that it has expired. Null: the partner
-- has received both notices. The statement that writes an event also sets the next time, so each event is written once.
alter table prescription add column expiry_notice_at timestamptz;

-- 30 days before the end. A prescription that arrives later sends only the second notice: the partner has just read the date.
create function first_expiry_notice(expires_at timestamptz, arrived_at timestamptz) returns timestamptz
language sql stable parallel safe
as $$
  select case
    when expires_at - interval '720 hours' > arrived_at then expires_at - interval '720 hours'
    when expires_at > arrived_at then expires_at
  end
$$;

-- Prescriptions that expired before this version send no notice.
update prescription r
set expiry_notice_at = first_expiry_notice(r.expires_at, now() + make_interval(secs => a.clock_offset_s))
from account a
where a.account_id = r.account_id and r.active and r.expires_at > now() + make_interval(secs => a.clock_offset_s);

create index prescription_expiry_notice on prescription (account_id, expiry_notice_at)
  where active and expiry_notice_at is not null;

-- Events that only endpoints receive which name them.
create or replace function webhook_subscribes(events text[], event_type text) returns boolean
language sql immutable parallel safe
as $$
  select case
    when events = '{}' then event_type not in (
      'ORDER_UPDATED',
      'MESSAGE_RECEIVED',
      'RX_STATUS_CHANGED',
      'PAYMENT_UPDATED',
      'PATIENT_UPDATED'
    )
    else event_type = any(events)
  end
$$;
