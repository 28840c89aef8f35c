import { type ComponentProps, lazy, Suspense } from "react";

const AssignDialog = lazy(async () => ({ default: (await import("./assign-dialog.tsx")).AssignDialog }));

/** The dialog that assigns orders. Its code loads when a person opens it. */
export function Assign(props: ComponentProps<typeof AssignDialog>) {
  return (
    <Suspense fallback={null}>
      <AssignDialog {...props} />
    </Suspense>
  );
}
