import { useState } from "react";
import { useNavigate } from "../../app/router/router.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Menu } from "../../ui/controls/menu.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { Icon } from "../../ui/icon.tsx";
import { say } from "../../ui/words/say.tsx";

type View = { name: string; path: string; search: Record<string, string> };
const KEPT_AS = "pestle-views";

/** Saved filter sets, stored in this browser. Users can also share a view's URL. */
export function SavedViews({ path, search }: { path: string; search: Record<string, string> }) {
  const navigate = useNavigate();
  const [views, setViews] = useState(readViews);
  const [naming, setNaming] = useState(false);
  const [name, setName] = useState("");
  const keep = (next: View[]) => {
    localStorage.setItem(KEPT_AS, JSON.stringify(next));
    setViews(next);
  };
  const shown = views.find((one) => one.path === path && sameSearch(one.search, search));
  const has_filters = Object.keys(search).length > 0;
  return (
    <>
      <Menu
        trigger={
          <>
            <Icon name="bookmark" /> {shown?.name ?? say("Views")}
          </>
        }
        items={[
          ...views.map((view) => ({
            label: view.name,
            checked: view === shown,
            icon: "bookmark" as const,
            onChoose: () => void navigate({ to: view.path, search: view.search } as never),
          })),
          ...(shown === undefined && has_filters
            ? [{ label: say("Save view…"), icon: "plus" as const, onChoose: () => setNaming(true) }]
            : []),
          ...(shown === undefined
            ? []
            : [
                {
                  label: say("Delete view"),
                  icon: "close" as const,
                  onChoose: () => keep(views.filter((view) => view !== shown)),
                },
              ]),
          {
            label: say("Copy link"),
            icon: "external" as const,
            onChoose: () =>
              void navigator.clipboard.writeText(location.href).then(
                () => toast(say("Link copied.")),
                () => toast(say("The browser blocked copying. Copy the link from the address bar."), "bad"),
              ),
          },
        ]}
      />
      {naming && (
        <Dialog
          title={say("Save view")}
          onClose={() => setNaming(false)}
          onSubmit={() => {
            keep([...views.filter((view) => view.name !== name.trim()), { name: name.trim(), path, search }]);
            setNaming(false);
            setName("");
          }}
          actions={
            <Button tone="primary" type="submit">
              {say("Save")}
            </Button>
          }
        >
          <TextField
            label={say("Name")}
            required
            maxLength={40}
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Dialog>
      )}
    </>
  );
}

function readViews(): View[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS) ?? "[]") as unknown;
    return Array.isArray(kept) ? (kept as View[]) : [];
  } catch {
    return [];
  }
}

const sameSearch = (a: Record<string, string>, b: Record<string, string>) =>
  new URLSearchParams(Object.entries(a).sort()).toString() === new URLSearchParams(Object.entries(b).sort()).toString();
