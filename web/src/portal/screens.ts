import type { Screen } from "../app/screen.ts";

/** Every page of a partner's people. */
export const screens: readonly Screen[] = [
  {
    path: "/",
    title: "Home",
    load: async () => (await import("./home/home-screen.tsx")).HomeScreen,
    nav: { group: "Start", icon: "home", keys: "g h" },
  },
];
