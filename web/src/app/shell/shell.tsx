import { type ReactNode, useEffect, useState } from "react";
import { IconButton } from "../../ui/controls/button.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Menu, type MenuItem } from "../../ui/controls/menu.tsx";
import { Toasts, toast } from "../../ui/display/toast.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import mark from "../../ui/mark.svg";
import { chooseLanguage, languages, otherLanguages } from "../../ui/words/language.ts";
import { say } from "../../ui/words/say.tsx";
import { ApiError } from "../api.ts";
import { Fault } from "../fault.tsx";
import { sendHeldStep } from "../held-step.ts";
import { Link, Outlet, useLocation, useNavigate } from "../router/router.tsx";
import { endSession } from "../sign-in/end-session.ts";
import { useIdleLock } from "../sign-in/idle-lock.ts";
import { PasswordDialog } from "../sign-in/password-dialog.tsx";
import { SecondFactorDialog } from "../sign-in/second-factor-dialog.tsx";
import { signedOut, useSession, useSignedIn } from "../sign-in/session.ts";
import { SignInLayer } from "../sign-in/sign-in-layer.tsx";
import { useStepUp } from "../sign-in/step-up.ts";
import { StepUpDialog } from "../sign-in/step-up-dialog.tsx";
import { NotFoundPage } from "./not-found.tsx";
import { Palette, type PaletteSearch } from "./palette.tsx";
import type { Screen } from "./screen.ts";
import { ServiceBanner } from "./service-banner.tsx";
import styles from "./shell.module.css";
import { ShortcutSheet } from "./shortcut-sheet.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { SimulatedBand } from "./simulated-band.tsx";
import { setTheme, themes, useTheme } from "./theme.ts";

/** The parts that differ between the dashboard and the portal. */
export type ShellParts = {
  name: string;
  screens: readonly Screen[];
  /** Extra search source for the Ctrl-K palette, besides screen names. */
  search?: PaletteSearch;
  /** Shown above the navigation, such as the environment switch. */
  Top?: () => ReactNode;
  /** Buttons of the app in the header, such as the notifications. */
  Tools?: () => ReactNode;
  /** Dialogs of the app that its header opens. */
  Layers?: () => ReactNode;
  /** Banner above everything, such as the sandbox banner. */
  Band?: () => ReactNode;
  /** Shown next to a screen's name, such as a count. */
  Count?: (props: { path: string }) => ReactNode;
  /** Fills in path parameters from the current URL, such as the environment. Returns null to hide the screen. */
  resolve?: (path: string, pathname: string) => string | null;
};

export function Shell({
  name,
  screens,
  search,
  Top,
  Tools,
  Layers,
  Band,
  Count,
  resolve = (path) => path,
}: ShellParts) {
  const session = useSignedIn();
  const state = useSession();
  const locked = state.phase === "in" && state.locked;
  const stepping_up = useStepUp();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const theme = useTheme();
  const [layer, setLayer] = useState<"palette" | "sheet" | "second_factor" | "password" | null>(null);
  const [navOpen, setNavOpen] = useState(false);
  const mine = screens.filter(({ roles }) => roles === undefined || roles.includes(session.role));
  const listed = mine.flatMap(({ nav, path, ...rest }) => {
    const resolved = resolve(path, pathname);
    return nav && resolved !== null ? [{ ...rest, ...nav, path: resolved }] : [];
  });
  const groups = [...new Set(listed.map(({ group }) => group))];
  useIdleLock();
  // On a tablet, close the sidebar after navigation. Move focus so screen readers announce the new screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the path changes
  useEffect(() => {
    setNavOpen(false);
    if (!document.activeElement?.closest("main *, dialog")) document.getElementById("content")?.focus();
  }, [pathname]);
  useShortcuts([
    { keys: "mod+k", label: say("Search or jump to a page"), group: say("Everywhere"), run: () => setLayer("palette") },
    { keys: "/", label: say("Search"), group: say("Everywhere"), run: () => setLayer("palette") },
    { keys: "?", label: say("Show this list"), group: say("Everywhere"), run: () => setLayer("sheet") },
    ...listed.flatMap(({ keys, title, path }) =>
      keys ? [{ keys, label: title, group: say("Go to"), run: () => void navigate({ to: path }) }] : [],
    ),
  ]);

  const account_items: (Omit<MenuItem, "label"> & { label: string; icon: IconName })[] = [
    ...(session.totp_on
      ? []
      : [
          {
            label: say("Set up two-factor authentication"),
            icon: "lock" as const,
            onChoose: () => setLayer("second_factor"),
          },
        ]),
    { label: say("Your sign-in"), icon: "person" as const, onChoose: () => void navigate({ to: "/account" }) },
    { label: say("Change password"), icon: "key" as const, onChoose: () => setLayer("password") },
    ...otherLanguages.map((one) => ({
      label: languages[one],
      icon: "globe" as const,
      lang: one,
      onChoose: () => chooseLanguage(one),
    })),
    { label: say("Sign out"), icon: "external" as const, onChoose: () => void signOut() },
  ];

  return (
    <>
      {/* Hide the page, do not just cover it: users can remove an overlay, and screen readers read through it. */}
      <div className={styles["shell"]} inert={locked} data-locked={locked || undefined}>
        <a className={styles["skip"]} href="#content">
          {say("Skip to content")}
        </a>
        {Band && <Band />}
        <header className={styles["top"]}>
          <span className={styles["burger"]}>
            <IconButton
              label={say("Navigation")}
              icon="menu"
              aria-expanded={navOpen}
              onClick={() => setNavOpen(!navOpen)}
            />
          </span>
          <Link to="/" className={styles["brand"]}>
            <img src={mark} alt="" width="24" height="24" />
            <span>{name}</span>
          </Link>
          {Top && <Top />}
          <button type="button" className={styles["search"]} onClick={() => setLayer("palette")}>
            <Icon name="search" />
            <span>{say("Search")}</span>
            <Keys keys="mod+k" />
          </button>
          {Tools && <Tools />}
          <ThemeMenu />
          <IconButton label={say("Keyboard shortcuts")} icon="keyboard" onClick={() => setLayer("sheet")} />
          <Menu
            trigger={
              <>
                <Icon name="person" />
                <span className={styles["person"]}>{session.name}</span>
                <Icon name="down" size={12} />
              </>
            }
            label={say("{name}, your account", { name: session.name })}
            items={account_items}
          />
        </header>
        <nav className={styles["nav"]} data-open={navOpen || undefined} aria-label={say("Screens")}>
          {groups.map((group) => (
            <section key={group} aria-label={group}>
              <h2>{group}</h2>
              <ul>
                {listed
                  .filter((one) => one.group === group)
                  .map(({ path, title, icon, keys }) => (
                    <li key={path}>
                      <Link to={path} title={keys && pressText(title, keys)} marks={path === "/" ? "exactly" : "below"}>
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
          <ServiceBanner />
          <SimulatedBand />
          <Outlet missing={<NotFoundPage />} fault={(error, reset) => <Fault error={error} reset={reset} />} />
        </main>
        {layer === "palette" && (
          <Palette
            onClose={() => setLayer(null)}
            places={listed.map(({ path, title, icon, keys }) => ({ path, title, icon, ...(keys && { keys }) }))}
            commands={[
              ...themes
                .filter((one) => one !== theme)
                .map((one) => ({
                  label: say("Theme: {theme}", { theme: themeNames[one] }),
                  icon: themeIcons[one],
                  run: () => setTheme(one),
                })),
              { label: say("Keyboard shortcuts"), icon: "keyboard", run: () => setLayer("sheet") },
              ...account_items.map(({ label, icon, lang, onChoose }) => ({ label, icon, lang, run: onChoose })),
            ]}
            {...(search && { search })}
          />
        )}
        {layer === "sheet" && <ShortcutSheet onClose={() => setLayer(null)} />}
        {layer === "password" && <PasswordDialog onClose={() => setLayer(null)} />}
        {layer === "second_factor" && <SecondFactorDialog onClose={() => setLayer(null)} />}
        {Layers && <Layers />}
        <Toasts />
      </div>
      {stepping_up && !locked && <StepUpDialog />}
      {locked && <SignInLayer />}
    </>
  );
}

function pressText(title: string, keys: string): string {
  const [first = keys, second] = keys.split(" ");
  return second === undefined
    ? say("{title}: press {key}", { title, key: first })
    : say("{title}: press {first} then {second}", { title, first, second });
}

async function signOut() {
  if (!(await sendHeldStep())) return toast(say("Your last step was not saved. Check it before you sign out."), "bad");
  try {
    await endSession();
    signedOut();
  } catch (error) {
    toast(error instanceof ApiError ? error.message : say("You are still signed in. Try again."), "bad");
  }
}

const themeNames = { system: say("System"), light: say("Light"), dark: say("Dark") } as const;
const themeIcons = { system: "screen", light: "sun", dark: "moon" } as const;

function ThemeMenu() {
  const theme = useTheme();
  return (
    <Menu
      label={say("Theme")}
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
