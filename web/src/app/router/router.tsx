import {
  type AnchorHTMLAttributes,
  createContext,
  type MouseEvent,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from "react";
import type { Address, Params } from "./address.ts";
import { Boundary } from "./boundary.tsx";
import type { Place, Router, Target } from "./create-router.ts";

const Current = createContext<Router | null>(null);
export const RouterContext = Current.Provider;

const useRouter = (): Router => useContext(Current)!;
function usePlace(): Place {
  const { watch, place } = useRouter();
  return useSyncExternalStore(watch, place);
}
export const useLocation = (): Address => usePlace().address;
/** The path of the screen's route, such as `/order/$number`; null if no route matches. */
export const useRoutePath = (): string | null => usePlace().path;
export const useParams = (): Params => usePlace().params;
export const useNavigate = (): Router["navigate"] => useRouter().navigate;

/** The current screen. */
export function Outlet({
  missing,
  fault,
}: {
  missing: ReactNode;
  fault: (error: unknown, reset: () => void) => ReactNode;
}) {
  const { address, screen: Screen, error, scroll } = usePlace();
  const before = useRef(address.pathname);
  // Filters change the address, but not the position.
  useLayoutEffect(() => {
    if (before.current === address.pathname) return;
    before.current = address.pathname;
    for (const one of [document.scrollingElement, document.getElementById("content")]) one?.scrollTo(0, scroll);
  }, [address.pathname, scroll]);
  if (error !== undefined) return fault(error, () => location.reload());
  if (Screen === undefined) return null;
  return (
    <Boundary at={address.pathname} fault={fault}>
      {Screen === null ? missing : <Screen />}
    </Boundary>
  );
}

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> &
  Pick<Target, "to" | "search"> & {
    /** Marks the link as the current page: on its own path, or also on the paths below. */
    marks?: "exactly" | "below";
  };

/** Long enough that a pointer that only passes loads nothing. */
const INTENT_MS = 50;

/** A link to a screen of the app. Its code loads as soon as the user points at the link. */
export function Link({ to, search, marks, onClick, children, ...rest }: LinkProps) {
  const router = useRouter();
  const { pathname } = useLocation();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const target: Target = { to, ...(search !== undefined && { search }) };
  const intend = () => {
    timer.current = setTimeout(() => void router.preload(target), INTENT_MS);
  };
  const current = pathname === to || (marks === "below" && pathname.startsWith(`${to}/`));
  return (
    <a
      {...rest}
      href={router.hrefOf(target)}
      aria-current={marks !== undefined && current ? "page" : undefined}
      onPointerEnter={intend}
      onFocus={intend}
      onPointerLeave={() => clearTimeout(timer.current)}
      onClick={(event) => {
        onClick?.(event);
        if (!opensHere(event)) return;
        event.preventDefault();
        void router.navigate(target);
      }}
    >
      {children}
    </a>
  );
}

/** Not in a new tab or window. */
const opensHere = (event: MouseEvent<HTMLAnchorElement>): boolean =>
  !event.defaultPrevented &&
  event.button === 0 &&
  !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) &&
  (event.currentTarget.target || "_self") === "_self";
