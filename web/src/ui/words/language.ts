/** The languages of the dashboard and the portal, each in its own words. English is in the code; the others have a file. */
export const languages = { "en-US": "English", es: "Español" } as const;
export type Language = keyof typeof languages;

const KEPT_AS = "pestle-language";
const isLanguage = (name: string | null): name is Language => name !== null && name in languages;

/** The language that this browser has chosen, or else the one it prefers. */
function preferred(): Language {
  if (typeof localStorage === "undefined") return "en-US";
  const kept = localStorage.getItem(KEPT_AS);
  if (isLanguage(kept)) return kept;
  return navigator.language.startsWith("es") ? "es" : "en-US";
}

export const language: Language = preferred();
export const otherLanguages = (Object.keys(languages) as Language[]).filter((one) => one !== language);
/** How to write numbers and dates. English leaves it to the browser, which knows the person's region. */
export const locale: string | undefined = language === "es" ? "es-US" : undefined;

/** Texts are read once, when the page starts, so a new language needs a new page. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(KEPT_AS, chosen);
  location.reload();
}
