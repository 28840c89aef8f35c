const KEPT_AS = "pestle-theme";

/** Changes between light and dark, for the whole service on this machine: the portal reads the same choice. */
export function startThemeButton(button: HTMLButtonElement): void {
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset["theme"] ?? (prefersDark.matches ? "dark" : "light")) === "dark";
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Use the light scheme" : "Use the dark scheme");
  };
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    localStorage.setItem(KEPT_AS, next);
    root.dataset["theme"] = next;
    name();
  });
  prefersDark.addEventListener("change", name);
  name();
  button.hidden = false;
}
