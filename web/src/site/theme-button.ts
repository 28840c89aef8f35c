const KEPT_AS = "pestle-theme";

/** Toggles light and dark mode. The dashboard and portal read the same setting. */
export function startThemeButton(button: HTMLButtonElement): void {
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset["theme"] ?? (prefersDark.matches ? "dark" : "light")) === "dark";
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light mode" : "Switch to dark mode");
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
