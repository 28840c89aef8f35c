-- revision 1
-- The partner's ids of the patients whom an entry of the audit log names, still sealed.
create or replace function audit_patients(account_id text, patient_keys bigint[]) returns json
language plpgsql
stable
as $$
begin
  return coalesce((
    select json_agg(json_build_object('patient_key', p.patient_key,
      'id_sealed', translate(encode(p.id_sealed, 'base64'), E'\n', '')))
    from patient p
    where p.account_id = audit_patients.account_id and p.patient_key = any(patient_keys)), '[]');
end
$$;
