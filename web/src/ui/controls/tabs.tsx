import { Tab as TabButton, TabList, TabPanel, TabProvider } from "@ariakit/react/tab";
import { type ReactNode, useId } from "react";
import styles from "./tabs.module.css";

export type Tab = { key: string; label: ReactNode; content: () => ReactNode };

/** Tabs. Arrow keys move between them. */
export function Tabs({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (key: string) => void;
}) {
  const id = useId();
  const shown = tabs.find(({ key }) => key === value) ?? tabs[0]!;
  const idOf = ({ key }: Tab) => `${id}-${key}`;
  const choose = (chosen: string | null | undefined) => {
    const tab = tabs.find((one) => idOf(one) === chosen);
    if (tab !== undefined && tab !== shown) onChange(tab.key);
  };
  return (
    <div className={styles["tabs"]}>
      <TabProvider selectedId={idOf(shown)} setSelectedId={choose}>
        <TabList aria-label={label} className={styles["list"]}>
          {tabs.map((tab) => (
            <TabButton key={tab.key} id={idOf(tab)}>
              {tab.label}
            </TabButton>
          ))}
        </TabList>
        <TabPanel tabId={idOf(shown)}>{shown.content()}</TabPanel>
      </TabProvider>
    </div>
  );
}
