/**
 * What a statement of the account $1 reads of the partial fills of the prescription of a row. A part of the statement and not a
 * function: on Citus, no function that runs on the account's server may read tables. Citus derives the server from the one or the
 * other comparison of the account.
 */
export const partialFill = (row: string) => `json_build_object(
    'first_filled_at', (
      select min(f.shipped_at)
      from order_item f
      where f.account_id = $1 and f.account_id = ${row}.account_id and f.prescription_id = ${row}.prescription_id),
    'requested', exists (
      select
      from partial_fill_request q
      where q.account_id = $1 and q.account_id = ${row}.account_id and q.prescription_id = ${row}.prescription_id))`;
