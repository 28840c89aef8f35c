import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { IconButton } from "../../ui/controls/button.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Menu } from "../../ui/controls/menu.tsx";
import { Toasts, toast } from "../../ui/display/toast.tsx";
import { Icon } from "../../ui/icon.tsx";
import mark from "../../ui/mark.svg";
import { ApiError } from "../api.ts";
import { endSession } from "../sign-in/end-session.ts";
import { useIdleLock } from "../sign-in/idle-lock.ts";
import { PasswordDialog } from "../sign-in/password-dialog.tsx";
import { SecondFactorDialog } from "../sign-in/second-factor-dialog.tsx";
import { signedOut, useSession, useSignedIn } from "../sign-in/session.ts";
import { SignInLayer } from "../sign-in/sign-in-layer.tsx";
import { Palette, type PaletteSearch } from "./palette.tsx";
import type { Screen } from "./screen.ts";
import styles from "./shell.module.css";
import { ShortcutSheet } from "./shortcut-sheet.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { setTheme, themes, useTheme } from "./theme.ts";

/** What differs between the two applications that share this frame. */
export type ShellParts = {
  name: string;
  screens: readonly Screen[];
  /** What the search box of Ctrl-K asks, beside the names of screens. */
  search?: PaletteSearch;
  /** Above the navigation, such as a choice of environment. */
  Top?: () => ReactNode;
  /** Over everything, such as the band that says Sandbox. */
  Band?: () => ReactNode;
  /** Beside a screen's name, such as a count. */
  Count?: (props: { path: string }) => ReactNode;
  /** Puts what the current address needs into a screen's path, such as the environment. Null: not there now. */
  resolve?: (path: string, pathname: string) => string | null;
};

export function Shell({ name, screens, search, Top, Band, Count, resolve = (path) => path }: ShellParts) {
  const session = useSignedIn();
  const state = useSession();
  const locked = state.phase === "in" && state.locked;
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [layer, setLayer] = useState<"palette" | "sheet" | "second_factor" | "password" | null>(null);
  const [navOpen, setNavOpen] = useState(false);
  const mine = screens.filter(({ roles }) => roles === undefined || roles.includes(session.role));
  const listed = mine.flatMap(({ nav, path, ...rest }) => {
    const resolved = resolve(path, pathname);
    return nav && resolved !== null ? [{ ...rest, ...nav, path: resolved }] : [];
  });
  const groups = [...new Set(listed.map(({ group }) => group))];
  useIdleLock();
  // On a tablet the bar goes away once somebody went somewhere; and who listens to the page hears the new screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address counts
  useEffect(() => {
    setNavOpen(false);
    if (!document.activeElement?.closest("main *, dialog")) document.getElementById("content")?.focus();
  }, [pathname]);
  useShortcuts([
    { keys: "mod+k", label: "Search and go anywhere", group: "Everywhere", run: () => setLayer("palette") },
    { keys: "/", label: "Search", group: "Everywhere", run: () => setLayer("palette") },
    { keys: "?", label: "This sheet", group: "Everywhere", run: () => setLayer("sheet") },
    ...listed.flatMap(({ keys, title, path }) =>
      keys ? [{ keys, label: title, group: "Go to", run: () => void navigate({ to: path }) }] : [],
    ),
  ]);

  return (
    <>
      {/* Not only covered: a layer can be taken away, by a browser or by a hand, and what it covers can be heard. */}
      <div className={styles["shell"]} inert={locked} data-locked={locked || undefined}>
        <a className={styles["skip"]} href="#content">
          Skip to the content
        </a>
        {Band && <Band />}
        <header className={styles["top"]}>
          <span className={styles["burger"]}>
            <IconButton label="Navigation" icon="menu" aria-expanded={navOpen} onClick={() => setNavOpen(!navOpen)} />
          </span>
          <Link to="/" className={styles["brand"]}>
            <img src={mark} alt="" width="24" height="24" />
            <span>{name}</span>
          </Link>
          {Top && <Top />}
          <button type="button" className={styles["search"]} onClick={() => setLayer("palette")}>
            <Icon name="search" />
            <span>Search</span>
            <Keys keys="mod+k" />
          </button>
          <ThemeMenu />
          <IconButton label="Keyboard shortcuts" icon="keyboard" onClick={() => setLayer("sheet")} />
          <Menu
            trigger={
              <>
                <Icon name="person" />
                <span className={styles["person"]}>{session.name}</span>
                <Icon name="down" size={12} />
              </>
            }
            label={`${session.name}, your account`}
            items={[
              ...(session.totp_on
                ? []
                : [
                    {
                      label: "Set up a second factor",
                      icon: "lock" as const,
                      onChoose: () => setLayer("second_factor"),
                    },
                  ]),
              { label: "Change the password", icon: "key", onChoose: () => setLayer("password") },
              { label: "Sign out", icon: "external", onChoose: () => void signOut() },
            ]}
          />
        </header>
        <nav className={styles["nav"]} data-open={navOpen || undefined} aria-label="Screens">
          {groups.map((group) => (
            <section key={group} aria-label={group}>
              <h2>{group}</h2>
              <ul>
                {listed
                  .filter((one) => one.group === group)
                  .map(({ path, title, icon, keys }) => (
                    <li key={path}>
                      <Link
                        to={path}
                        title={keys && `${title}: press ${keys.split(" ").join(" then ")}`}
                        activeOptions={{ exact: path === "/", includeSearch: false }}
                      >
                        <Icon name={icon} />
                        <span>{title}</span>
                        {Count && <Count path={path} />}
                      </Link>
                    </li>
                  ))}
              </ul>
            </section>
          ))}
        </nav>
        <main id="content" className={styles["main"]} tabIndex={-1}>
          <Outlet />
        </main>
        {layer === "palette" && (
          <Palette
            onClose={() => setLayer(null)}
            places={listed.map(({ path, title, icon, keys }) => ({ path, title, icon, ...(keys && { keys }) }))}
            {...(search && { search })}
          />
        )}
        {layer === "sheet" && <ShortcutSheet onClose={() => setLayer(null)} />}
        {layer === "password" && <PasswordDialog onClose={() => setLayer(null)} />}
        {layer === "second_factor" && <SecondFactorDialog onClose={() => setLayer(null)} />}
        <Toasts />
      </div>
      {locked && <SignInLayer />}
    </>
  );
}

async function signOut() {
  try {
    await endSession();
    signedOut();
  } catch (error) {
    toast(error instanceof ApiError ? error.message : "You are still signed in. Try again.", "bad");
  }
}

const themeNames = { system: "As the system", light: "Light", dark: "Dark" } as const;
const themeIcons = { system: "screen", light: "sun", dark: "moon" } as const;

function ThemeMenu() {
  const theme = useTheme();
  return (
    <Menu
      label="Colours"
      trigger={<Icon name={themeIcons[theme]} />}
      items={themes.map((one) => ({
        label: themeNames[one],
        icon: themeIcons[one],
        checked: one === theme,
        onChoose: () => setTheme(one),
      }))}
    />
  );
}
