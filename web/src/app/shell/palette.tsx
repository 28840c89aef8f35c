import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { Keys } from "../../ui/controls/keys.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { showModal } from "../../ui/show-modal.ts";
import { say, sayWith } from "../../ui/words/say.tsx";
import { Problem } from "../problem.tsx";
import { useLocation, useNavigate } from "../router/router.tsx";
import styles from "./palette.module.css";
import { recentPages } from "./recent.ts";
import { useAllShortcuts } from "./shortcuts.ts";

type Place = { path: string; title: string; icon: IconName; keys?: string };
/** Something to do instead of a page to open. */
type PaletteCommand = { label: string; icon: IconName; run: () => void; lang?: string | undefined };
/** `path` is null for a hit without a page of its own. */
export type PaletteHit = { key: string; path: string | null; title: ReactNode; about?: ReactNode; icon: IconName };
type Choice = PaletteHit & { run?: () => void; lang?: string | undefined };
export type PaletteSearch = {
  placeholder: string;
  /** Shown below the input while it is empty. */
  hint: ReactNode;
  /** `more`: the server has more hits than it returned. */
  find: (q: string, signal: AbortSignal) => Promise<{ hits: readonly PaletteHit[]; more: boolean }>;
};

const SHORTEST = 2;
/** The group of shortcuts that open the palette and the sheet. */
const EVERYWHERE = say("Everywhere");
const QUIET_MS = 150;

/**
 * The Ctrl-K command palette: what the search finds, recent pages, the screens, and commands. Those of the screen are its
 * shortcuts.
 */
export function Palette({
  places,
  commands,
  search,
  onClose,
}: {
  places: readonly Place[];
  commands: readonly PaletteCommand[];
  search?: PaletteSearch;
  onClose: () => void;
}) {
  const id = useId();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const shortcuts = useAllShortcuts();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const q = useSettled(text.trim());
  const found = useQuery({
    queryKey: ["palette", q],
    queryFn: ({ signal }) => search!.find(q, signal),
    enabled: search !== undefined && q.length >= SHORTEST,
    staleTime: 0,
    gcTime: 0,
  });
  useEffect(() => {
    const shown = dialog.current!;
    showModal(shown);
    return () => shown.close();
  }, []);

  const words = useDeferredValue(text.trim().toLowerCase());
  const { hits, more } = q.length >= SHORTEST && found.data ? found.data : { hits: [], more: false };
  const isMeant = (label: string) => words === "" || label.toLowerCase().includes(words);
  const going: Choice[] = places
    .filter(({ title }) => isMeant(title))
    .map(({ path, title, icon, keys }) => ({ key: path, path, title, icon, about: keys && <Keys keys={keys} /> }));
  const recent: Choice[] = recentPages()
    .filter(({ path, title }) => path !== pathname && isMeant(title) && !hits.some((hit) => hit.path === path))
    .map((page) => ({ ...page, key: "recent", about: say("Recent") }));
  // The screens are listed already.
  const own = shortcuts.filter(
    ({ group, label }) =>
      group !== EVERYWHERE && isMeant(label) && !(group && places.some(({ title }) => title === label)),
  );
  const doing: Choice[] = [
    ...own.map(({ keys, label, run }) => ({
      ...{ key: keys, title: label, icon: "keyboard" as const, run },
      about: <Keys keys={keys} />,
    })),
    ...commands
      .filter(({ label }) => isMeant(label))
      .map(({ label, icon, run, lang }) => ({ key: label, title: label, icon, run, lang })),
  ].map((one) => ({ ...one, path: null }));
  const all: Choice[] = [...hits, ...recent, ...going, ...doing];
  const current = Math.min(at, all.length - 1);

  const searching = found.isFetching || q !== text.trim();
  const go = (hit: Choice | undefined) => {
    if (hit?.run) {
      onClose();
      // Shortcuts work on the page, which is behind the dialog until it has closed.
      setTimeout(hit.run);
      return;
    }
    if (!hit || hit.path === null) return;
    onClose();
    void navigate({ to: hit.path });
  };
  const press = (event: KeyboardEvent) => {
    // Results that are on their way would take the place of a command.
    const awaits = search !== undefined && searching && text.trim().length >= SHORTEST;
    const chosen = all[current];
    if (event.key === "Enter") {
      if (!awaits || !chosen?.run) go(chosen);
    } else if (event.key === "ArrowDown") setAt(Math.min(current + 1, all.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(current - 1, 0));
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      className={styles["palette"]}
      aria-label={say("Search")}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={press}
    >
      <div className={styles["box"]}>
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={say("Search")}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={all.length > 0 ? `${id}-${current}` : undefined}
          placeholder={search?.placeholder ?? say("Go to…")}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
      </div>
      {found.error && q.length >= SHORTEST && <Problem error={found.error} retry={() => void found.refetch()} />}
      <div id={`${id}-list`} role="listbox" aria-label={say("Results")} className={styles["list"]}>
        {all.map(({ key, title, about, icon, path, run, lang }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={`${key} ${path}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            aria-disabled={(path === null && run === undefined) || undefined}
            tabIndex={-1}
            ref={index === current ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
            onClick={() => go(all[index])}
            onPointerMove={() => index !== current && setAt(index)}
          >
            <Icon name={icon} />
            <span className={styles["title"]} lang={lang}>
              {title}
            </span>
            {about && <span className={styles["about"]}>{about}</span>}
          </div>
        ))}
      </div>
      <p className={styles["state"]} role="status">
        {text.trim() === ""
          ? search?.hint
          : searching && search && text.trim().length >= SHORTEST
            ? say("Searching…")
            : all.length === 0 && !more
              ? sayWith("No results. {hint}", { hint: search?.hint })
              : more && hits.length === 0
                ? say("Too many patients share this name. Add the date of birth.")
                : more
                  ? say("Showing the first {count} results. Keep typing to narrow them down.", { count: hits.length })
                  : ""}
      </p>
    </dialog>
  );
}

/** Debounces the input. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
