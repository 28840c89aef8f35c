import { useEffect } from "react";
import type { IconName } from "../../ui/icon.tsx";
import { useLocation } from "../router/router.tsx";

type RecentPage = { path: string; title: string; icon: IconName };

const MOST = 6;

/** Only in memory: it ends with the page, so no other user of the browser sees it. */
let pages: readonly RecentPage[] = [];

/** The orders, patients and the like that the user opened last, newest first. */
export const recentPages = (): readonly RecentPage[] => pages;

/** Adds the page to the recent ones while `icon` is set. */
export function useRecent(title: string, icon: IconName | undefined): void {
  const { pathname: path } = useLocation();
  useEffect(() => {
    if (icon === undefined) return;
    pages = [{ path, title, icon }, ...pages.filter((one) => one.path !== path)].slice(0, MOST);
  }, [path, title, icon]);
}
