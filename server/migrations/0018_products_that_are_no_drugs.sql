-- No safety check concerns a pouch or an organizer. Until now such products were listed without ingredients, without an
-- NDC and without a prescription.
alter table product add column is_drug boolean not null default true;

update product
set is_drug = false
where ingredients = '{}' and ndc is null and not rx_only;
