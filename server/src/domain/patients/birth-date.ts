/** The oldest living people were born later. An earlier date is a typing error or a default value. */
const FIRST_BIRTH = "1900-01-01";

/** A calendar date on which a living patient can have been born. */
export const isPossibleBirth = (dob: string, today: string): boolean => dob >= FIRST_BIRTH && dob <= today;
