/** Valid state codes in an address: the 50 states and the other areas the Postal Service serves. */
export const stateCodes: readonly string[] =
  `AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA
   RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI FM MH PW AA AE AP`.split(/\s+/);
