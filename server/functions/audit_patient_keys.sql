-- revision 1
-- The surrogate keys of patients by the blind indexes of their ids, for the audit log, which is not spread with the patients.
create or replace function audit_patient_keys(account_id text, id_indexes bytea[]) returns bigint[]
language plpgsql
stable
as $$
begin
  return array(
    select p.patient_key
    from patient p
    where p.account_id = audit_patient_keys.account_id and p.id_index = any(id_indexes));
end
$$;
