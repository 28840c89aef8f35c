/** Who may do what, so that a screen shows only what the server would not refuse. */
export const reviewers: readonly string[] = ["pharmacist", "lead", "admin"];
export const leads: readonly string[] = ["lead", "admin"];
export const admins: readonly string[] = ["admin"];
