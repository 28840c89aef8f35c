import { useApi } from "../app/use-api.ts";

/** The active staff of the pharmacy. */
export const useColleagues = () => useApi("/dashboard/colleagues");
