import { useApi } from "../../app/use-api.ts";
import { locale } from "../../ui/words/language.ts";
import { useEnvironment } from "../environment.ts";

const REFRESH_MS = 30_000;

/** The figures of the charts, which share one response. */
export function useFigures() {
  const environment = useEnvironment();
  return useApi(`/dashboard/figures?environment=${environment ?? "production"}`, {
    enabled: environment !== undefined,
    refetch_ms: REFRESH_MS,
  });
}

/** Times of day and days as the pharmacy's clocks show them. */
export const hourIn = (timeZone: string) => {
  const text = new Intl.DateTimeFormat(locale, { hour: "numeric", timeZone });
  return (from: string) => text.format(new Date(from));
};
export const dayIn = (timeZone: string) => {
  const text = new Intl.DateTimeFormat(locale, { weekday: "short", month: "short", day: "numeric", timeZone });
  return (from: string) => text.format(new Date(from));
};
