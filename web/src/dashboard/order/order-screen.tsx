import { Page } from "../../app/page.tsx";

export function OrderScreen() {
  return <Page title="Order">…</Page>;
}
