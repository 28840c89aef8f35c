-- A pharmacist's license. Without a current one, a person cannot act as a pharmacist: not to approve a review, not to check a
-- product, not to override an exception. The NPI is optional; the rest is given together or not at all.

alter table person
  add column license_number text,
  add column license_state text check (license_state ~ '^[A-Z]{2}$'),
  add column license_expires_on date,
  add column npi text check (npi ~ '^[12][0-9]{9}$'),
  add check ((license_number is null) = (license_state is null)
    and (license_number is null) = (license_expires_on is null)),
  -- Only the pharmacy's own staff.
  add check (partner_id is null or (license_number is null and npi is null));
