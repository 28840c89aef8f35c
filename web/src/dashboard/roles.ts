/** Role groups. Screens hide actions the server would reject. */
export const reviewers: readonly string[] = ["pharmacist", "lead", "admin"];
export const leads: readonly string[] = ["lead", "admin"];
export const admins: readonly string[] = ["admin"];
