import { Page } from "../../app/page.tsx";

export function HomeScreen() {
  return <Page title="Home">…</Page>;
}
